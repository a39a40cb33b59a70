package dataset

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Options describe the data that a model needs.
type Options struct {
	Format  string       // one of [Formats]; "" is recognized from the files
	X, Y    tensor.DType // how features and labels are read: float32 or int64
	Shape   []int        // of the features in the model's form, -1 for varying sizes: the size of images, the length of a text's windows
	Classes int          // the model's number of classes; 0 if unknown
	More    []Column     // further columns, from arrays of these names: .npy files, or those of an .npz

	// Of CSV files; columns have names or numbers from 1.
	Label      string   // the label's column; "" finds it
	Columns    []string // the columns that the model reads; nil is all others
	Categories []string // columns of words, each of which becomes a feature
	Learned    []string // the features of a trained model: other columns are left out, unless Columns or Categories are given
	Missing    string   // the treatment of an empty cell: "" reports an error, "drop" skips the line, a number replaces it
}

// Formats lists the formats of [Open].
var Formats = []string{"idx", "csv", "npy", "npz", "images", "text"}

// maxHeld is the maximum uncompressed size of a compressed file or an archive.
const maxHeld = 4 << 30

// opener reads the files of one folder.
type opener struct {
	Options
	fsys fs.FS
}

// Open reads the data in a folder, or those in one of its files.
func Open(fsys fs.FS, name string, opt Options) (*Set, error) {
	for _, d := range []tensor.DType{opt.X, opt.Y} {
		if d != tensor.Float32 && d != tensor.Int64 {
			return nil, fmt.Errorf("dataset: %v, want float32 or int64", d)
		}
	}
	if opt.Format != "" && !slices.Contains(Formats, opt.Format) {
		return nil, fmt.Errorf("there is no format %q; there are: %s", opt.Format, strings.Join(Formats, ", "))
	}
	st, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	o := &opener{opt, fsys}
	set, err := (*Set)(nil), error(nil)
	if st.IsDir() {
		if o.fsys, err = fs.Sub(fsys, name); err != nil {
			return nil, err
		}
		set, err = o.folder()
	} else {
		set, err = o.file(name)
	}
	if err != nil {
		return nil, err
	}
	if set.Train.Len() == 0 {
		return nil, fmt.Errorf("%s: no examples%s", name, set.emptied())
	}
	if set.Val != nil && set.Val.Len() == 0 {
		return nil, fmt.Errorf("%s: no examples for validation", name)
	}
	if len(More(set.Train)) != len(opt.More) {
		return nil, fmt.Errorf("%s: has features and labels alone, and %s is to be read, too: want .npy files, or an .npz, with an array for each", name, columnNames(opt.More))
	}
	return set, nil
}

// folder tries the possible contents of a folder, the most specific ones first.
func (o *opener) folder() (*Set, error) {
	for _, try := range []struct {
		format string
		open   func() (*Set, error)
	}{
		{"idx", o.openIDX},
		{"npy", o.openNPY},
		{"npz", func() (*Set, error) { return o.single("*.npz", o.openNPZ) }},
		{"csv", o.openCSVs},
		{"images", o.openImages},
		{"text", o.openTexts},
	} {
		if o.Format != "" && o.Format != try.format {
			continue
		}
		if set, err := try.open(); set != nil || err != nil {
			return set, err
		}
	}
	if o.Format != "" {
		return nil, fmt.Errorf("the folder holds no data as %s", o.Format)
	}
	return nil, errors.New("the folder holds no data: want IDX files as MNIST has them, train.csv, x.npy and y.npy, one .npz, a folder of images for each class, or .txt files")
}

// file reads one file, by its format or else by its name.
func (o *opener) file(name string) (*Set, error) {
	format := o.Format
	if format == "" {
		switch strings.ToLower(path.Ext(name)) {
		case ".csv", ".tsv":
			format = "csv"
		case ".npz":
			format = "npz"
		case ".txt", ".md":
			format = "text"
		case ".parquet", ".arrow", ".arrows", ".feather":
			format = "table"
		}
	}
	switch format {
	case "csv":
		return o.openCSV(name)
	case "npz":
		return o.openNPZ(name)
	case "text":
		return o.openText([]string{name})
	case "table":
		return nil, fmt.Errorf("%s: a trainer does not read %s files: bbgen train and bbgen eval do, and give it arrays", name, path.Ext(name))
	case "":
		return nil, fmt.Errorf("%s: cannot tell the format from the name: want .csv, .tsv, .npz or .txt, or a folder; bbgen train and bbgen eval also read .parquet and .arrow", name)
	}
	return nil, fmt.Errorf("%s: data as %s are a folder, not a file", name, format)
}

// single opens the only file of a pattern, or gives nil.
func (o *opener) single(pattern string, open func(string) (*Set, error)) (*Set, error) {
	names, err := fs.Glob(o.fsys, pattern)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	if len(names) > 1 {
		return nil, fmt.Errorf("%s and %s: want one file, or say which", names[0], names[1])
	}
	return open(names[0])
}

func (o *opener) has(name string) bool {
	_, err := fs.Stat(o.fsys, name)
	return err == nil
}

// readMaybeZipped reads a file, or the compressed one of the same name.
func readMaybeZipped(fsys fs.FS, name string, limit int64) ([]byte, error) {
	b, err := fs.ReadFile(fsys, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return b, err
	}
	f, errZipped := fsys.Open(name + ".gz")
	if errZipped != nil {
		return nil, err // that of the file itself
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s.gz: %w", name, err)
	}
	b, err = io.ReadAll(io.LimitReader(z, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("holds more than %d bytes", limit)
	}
	if err != nil {
		return nil, fmt.Errorf("%s.gz: %w", name, err)
	}
	return b, nil
}
