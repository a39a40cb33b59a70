package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Extensions of files: of the images that are read, and of others, which would be missed if they were passed over.
var (
	imageNames = []string{".png", ".jpg", ".jpeg"}
	otherNames = []string{".avif", ".bmp", ".gif", ".heic", ".jp2", ".tif", ".tiff", ".webp"}
)

// maxBad is how many files an error names.
const maxBad = 5

// classFile is an image and its class.
type classFile struct {
	file  string
	class int
}

// classes returns the folders in dir that contain images, and their images. Folders may be links.
func (o *opener) classes(dir string) (names []string, files []classFile, err error) {
	list, err := fs.ReadDir(o.fsys, dir)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range list {
		name := path.Join(dir, d.Name())
		if strings.HasPrefix(d.Name(), ".") || !o.isFolder(name, d) {
			continue
		}
		inside, err := fs.ReadDir(o.fsys, name)
		if err != nil {
			return nil, nil, err
		}
		n := len(files)
		for _, f := range inside {
			ext := strings.ToLower(path.Ext(f.Name()))
			if !f.IsDir() && (slices.Contains(imageNames, ext) || slices.Contains(otherNames, ext)) {
				files = append(files, classFile{path.Join(name, f.Name()), len(names)})
			}
		}
		if len(files) > n {
			names = append(names, d.Name())
		}
	}
	return names, files, nil
}

// isFolder reports whether an entry is a folder, or a link to one.
func (o *opener) isFolder(name string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.IsDir()
	}
	st, err := fs.Stat(o.fsys, name)
	return err == nil && st.IsDir()
}

// checkFiles returns an error for files that are no images, from their first bytes: a training would otherwise come to them
// after hours.
func (o *opener) checkFiles(files []classFile) error {
	var bad []string
	for _, f := range files {
		if err := checkFile(o.fsys, f.file); err != nil {
			bad = append(bad, fmt.Sprintf("%s: %v", f.file, err))
		}
	}
	switch n := len(bad); {
	case n == 0:
		return nil
	case n > maxBad:
		bad = append(bad[:maxBad], fmt.Sprintf("and %d more", n-maxBad))
	}
	return errors.New(strings.Join(bad, "; "))
}

// checkFile returns an error unless a file begins as an image does.
func checkFile(fsys fs.FS, name string) error {
	if slices.Contains(otherNames, strings.ToLower(path.Ext(name))) {
		return errors.New("want PNG or JPEG: convert or remove it")
	}
	st, err := fs.Stat(fsys, name)
	switch {
	case err != nil:
		return reason(err)
	case !st.Mode().IsRegular():
		return errors.New("it is no file: remove it")
	case st.Size() == 0:
		return errors.New("it is empty: replace or remove it")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return reason(err)
	}
	defer f.Close()
	return checkHeader(f, st.Size())
}

// reason returns an error without the name of its file.
func reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// checkHeader returns an error unless an image begins, in a file of the given size, and is not too large.
func checkHeader(r io.Reader, size int64) error {
	var begin bytes.Buffer
	c, kind, err := image.DecodeConfig(bufio.NewReader(io.TeeReader(r, &begin)))
	switch {
	case errors.Is(err, image.ErrFormat):
		return errors.New("it begins as neither PNG nor JPEG do: replace or remove it")
	case err != nil:
		return err
	case c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels/c.Height:
		return fmt.Errorf("%d by %d pixels, want at most %d in all", c.Width, c.Height, maxPixels)
	case kind == "jpeg":
		return checkJPEG(begin.Bytes(), size)
	}
	return nil
}
