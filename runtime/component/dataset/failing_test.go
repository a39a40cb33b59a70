package dataset

import (
	"errors"
	"fmt"
	"image/color"
	"io/fs"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// failingFiles is a file system that does not open one file any more, after some times.
type failingFiles struct {
	fs.FS
	name  string
	after int
	times int
}

var errDisk = errors.New("the disk is broken")

func (f *failingFiles) Open(name string) (fs.File, error) {
	if name == f.name {
		if f.times++; f.times > f.after {
			return nil, &fs.PathError{Op: "open", Path: name, Err: errDisk}
		}
	}
	return f.FS.Open(name)
}

// TestFilesThatFail: a file that can be found and not be read is an error, also for a folder that has other data.
func TestFilesThatFail(t *testing.T) {
	x, y := npy(t, tensor.New(tensor.Float32, 2, 1)), npy(t, tensor.New(tensor.Int64, 2))
	pixels := idx(t, tensor.New(tensor.Uint8, 2))
	picture := picture(1, 1, color.White)
	floats, numbers := Options{X: tensor.Float32, Y: tensor.Int64}, Options{X: tensor.Int64, Y: tensor.Int64, Shape: []int{1}}
	const table = "a,y\n1,0\n"
	for _, c := range []struct {
		fail  string
		after int // how often it can be opened before
		fsys  fs.FS
		open  string
		opt   Options
	}{
		{"a.csv", 1, files("a.csv", table), "a.csv", floats},
		{"train.csv", 1, files("train.csv", table), ".", floats},
		{"val.csv", 1, files("train.csv", table, "val.csv", table), ".", floats},
		{"a.npz", 0, files("a.npz", ""), "a.npz", floats},
		{"a.npz", 1, files("a.npz", ""), "a.npz", floats},
		{"x.npy", 1, files("x.npy", x, "y.npy", y), ".", floats},
		{"y.npy", 1, files("x.npy", x, "y.npy", y), ".", floats},
		{NamesFile, 0, files("x.npy", x, "y.npy", y, NamesFile, "{}"), ".", floats},
		{"a.txt", 1, files("a.txt", "text"), "a.txt", numbers},
		{"b", 0, files("a.txt", "text", "b/c.txt", "text"), ".", numbers},
		{"train-images.idx", 1, files("train-images.idx", pixels, "train-labels.idx", pixels), ".", floats},
		{"train-labels.idx", 0, files("train-images.idx", pixels, "train-labels.idx", pixels), ".", floats},
		{"val-labels.idx", 0, files("train-images.idx", pixels, "train-labels.idx", pixels, "val-images.idx", pixels, "val-labels.idx", pixels), ".", floats},
		{"val", 1, files("train/a/1.png", picture, "val/a/1.png", picture), ".", floats},
		{"cat", 0, files("cat/1.png", picture), ".", floats},
		{"train/cat", 0, files("train/cat/1.png", picture), ".", floats},
	} {
		failing := &failingFiles{FS: c.fsys, name: c.fail, after: c.after}
		_, err := Open(failing, c.open, c.opt)
		if !errors.Is(err, errDisk) {
			t.Errorf("%s fails after %d times: got %v", c.fail, c.after, err)
		}
		failing.after = 1 << 30
		if _, err := Open(failing, c.open, c.opt); errors.Is(err, errDisk) {
			t.Errorf("%s does not fail: got %v", c.fail, err)
		}
	}
}

// TestImagesThatFail: images that cannot be opened are named, once.
func TestImagesThatFail(t *testing.T) {
	good := picture(1, 1, color.White)
	fsys := files("cat/1.png", good, "cat/2.png", good)
	for after, want := range []string{
		"cat/2.png: the disk is broken", // when its size is asked for
		"cat/2.png: the disk is broken", // when its first bytes are read
		"open cat/2.png: the disk is broken",
	} {
		set, err := Open(&failingFiles{FS: fsys, name: "cat/2.png", after: after}, ".", Options{X: tensor.Float32, Y: tensor.Int64})
		if err == nil {
			s := set.Train
			err = s.Batch([]int{1, 0}, s.Features().Tensor(2), s.Labels().Tensor(2))
		}
		if err == nil || err.Error() != want {
			t.Errorf("after %d times: got %v, want %s", after, err, want)
		}
	}
	if got := reason(errDisk); got != errDisk {
		t.Errorf("the reason of an error without a file is %v", got)
	}
}

// failingSource is a source that cannot read one of its examples.
type failingSource struct {
	DataSource
	bad int
}

func (s *failingSource) Batch(indices []int, x, y *tensor.Tensor) error {
	if err := s.fail(indices); err != nil {
		return err
	}
	return s.DataSource.Batch(indices, x, y)
}

func (s *failingSource) More() []Spec { return []Spec{{tensor.Float32, nil}} }

func (s *failingSource) BatchMore(indices []int, to []*tensor.Tensor) error {
	return s.fail(indices)
}

func (s *failingSource) fail(indices []int) error {
	for _, i := range indices {
		if i == s.bad {
			return fmt.Errorf("example %d: %w", i, errDisk)
		}
	}
	return nil
}

// TestSourcesThatFail: what reads all examples of a source passes on its error, also in the last part.
func TestSourcesThatFail(t *testing.T) {
	const n = 600
	for _, bad := range []int{0, 255, 256, n - 1} {
		s := &failingSource{numbered(t, n), bad}
		train, val := Split(s, 0.5, 1)
		normal, err := Normalize(s, []float32{1}, []float32{2})
		if err != nil {
			t.Fatal(err)
		}
		for what, try := range map[string]func() error{
			"standardize":       func() error { return (&Set{Train: s}).Standardize() },
			"weights":           func() error { _, err := BalancedWeights(s); return err },
			"weights of a part": func() error { _, err := BalancedWeights(train); return err },
			"weights of a rest": func() error { _, err := BalancedWeights(val); return err },
			"take weights":      func() error { _, _, err := TakeWeights(s); return err },
			"a batch":           func() error { return normal.Batch([]int{bad}, normal.Features().Tensor(1), normal.Labels().Tensor(1)) },
			"more of a batch":   func() error { return BatchMore(normal, []int{bad}, nil) },
		} {
			if err := try(); !errors.Is(err, errDisk) {
				t.Errorf("%s, and example %d fails: %v", what, bad, err)
			}
		}
		set := &Set{Train: s, Columns: []string{"a"}}
		if err := set.FollowColumns([]string{"a", "a"}); err != nil {
			t.Fatal(err)
		}
		if err := set.Train.Batch([]int{bad}, set.Train.Features().Tensor(1), set.Train.Labels().Tensor(1)); !errors.Is(err, errDisk) {
			t.Errorf("chosen columns of example %d: %v", bad, err)
		}
	}
}

// TestWithoutNormalization: data that are no floats have no mean; a set whose one part does not fit remains as it is.
func TestWithoutNormalization(t *testing.T) {
	text, err := Text("some words and a few more", 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := text.Standardize(); err == nil || err.Error() != "only floats can be standardized, the data are int64[4]" {
		t.Errorf("a text: %v", err)
	}
	if _, err := Normalize(text.Train, []float32{0}, []float32{1}); err == nil || err.Error() != "only floats can be normalized, the data are int64[4]" {
		t.Errorf("a text: %v", err)
	}
	set := &Set{Train: numbered(t, 3), Val: text.Train}
	if err := set.Normalize([]float32{1}, []float32{2}); err == nil || set.Mean != nil {
		t.Errorf("a text for validation: mean %v, %v", set.Mean, err)
	}
	for _, c := range []struct {
		mean, std []float32
		want      string
	}{
		{[]float32{1}, []float32{0}, "deviation 0, want more than 0"},
		{[]float32{1}, []float32{-1}, "deviation -1, want more than 0"},
		{nil, nil, "0 means and 0 deviations for float32[1], want one of each, or one for each index of the first axis"},
		{[]float32{1, 2}, []float32{1, 2}, "2 means and 2 deviations for float32[1], want one of each, or one for each index of the first axis"},
		{[]float32{1}, []float32{1, 2}, "1 means and 2 deviations for float32[1], want one of each, or one for each index of the first axis"},
	} {
		if _, err := Normalize(numbered(t, 3), c.mean, c.std); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestFoldersThatHoldNothing shows the errors for folders and formats, in the words that their author reads.
func TestFoldersThatHoldNothing(t *testing.T) {
	const nothing = "the folder holds no data: want IDX files as MNIST has them, train.csv, x.npy and y.npy, one .npz, a folder of images for each class, or .txt files"
	good := picture(1, 1, color.White)
	for _, c := range []struct {
		fsys fs.FS
		open string
		opt  Options
		want string
	}{
		{files("a/b.doc", ""), ".", Options{}, nothing},
		{files("a/b/c.png", good), "a", Options{}, ""},
		{files("a/b/c.png", good), ".", Options{}, nothing}, // two levels deep
		{files("x.npy", ""), ".", Options{}, nothing},
		{files("y.npy", "", "x_val.npy", "", "y_val.npy", ""), ".", Options{}, nothing},
		{files("train-labels.idx", ""), ".", Options{}, nothing},
		{files("train/a.doc", ""), ".", Options{Format: "images"}, "the folder holds no data as images"},
		{files("a.csv", "a,y\n1,0\n"), ".", Options{Format: "npz"}, "the folder holds no data as npz"},
		{files("a.csv", "a,y\n1,0\n"), "a.csv", Options{Format: "npy"}, "a.csv: data as npy are a folder, not a file"},
		{files("a.csv", "a,y\n1,0\n"), "a.csv", Options{Format: "images"}, "a.csv: data as images are a folder, not a file"},
		{files("a.dat", "a,y\n1,0\n"), "a.dat", Options{Format: "csv"}, ""},
		{files("a.csv", "a,y\n1,0\n", "b.csv", "a,y\n1,0\n"), ".", Options{}, "a.csv and b.csv: want one file, or say which"},
		{files("a.csv", "a,y\n1,0\n"), "a.csv", Options{X: tensor.Float64}, "dataset: float64, want float32 or int64"},
		{files("a.csv", "a,y\n1,0\n"), "a.csv", Options{Y: tensor.Int32}, "dataset: int32, want float32 or int64"},
		{files("a.csv", "a,y\n1.5,0\n"), "a.csv", Options{X: tensor.Int64}, "a.csv: features: float32[1,1] with a fraction at element 0, want whole numbers"},
		{files("train.csv", "a,y\n1.5,0\n"), ".", Options{X: tensor.Int64}, "train.csv: features: float32[1,1] with a fraction at element 0, want whole numbers"},
		{files("a.arrow", ""), "a.arrow", Options{}, "a.arrow: a trainer does not read .arrow files: bbgen train and bbgen eval do, and give it arrays"},
		{files("a/1.bmp", "BM"), ".", Options{}, "a/1.bmp: want PNG or JPEG: convert or remove it"},
		{files("train/a/1.png", good, "val/a/1.gif", "GIF"), ".", Options{}, "val/a/1.gif: want PNG or JPEG: convert or remove it"},
	} {
		if c.opt.X == 0 {
			c.opt.X = tensor.Float32
		}
		if c.opt.Y == 0 {
			c.opt.Y = tensor.Int64
		}
		if _, err := Open(c.fsys, c.open, c.opt); c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}
