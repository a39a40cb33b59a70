package project

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/codegen"
)

// checkConflicts returns an error if a file that bbgen has not written would be overwritten. A file without bbgen's
// header, such as weights, is bbgen's if there is code of an earlier run.
func checkConflicts(dir string, files []codegen.File) error {
	var bare []codegen.File
	earlier := false
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		switch {
		case strings.HasPrefix(f.Path, "vendor/"): // of a module that bbgen has written
			continue
		case !marked(f.Path):
			bare = append(bare, f)
			continue
		}
		b, err := os.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case !isOurs(b):
			return inTheWay(name)
		}
		earlier = true
	}
	for _, f := range bare {
		if err := checkBare(filepath.Join(dir, filepath.FromSlash(f.Path)), &f, earlier); err != nil {
			return err
		}
	}
	return nil
}

func inTheWay(name string) error {
	return fmt.Errorf("%s is in the way: bbgen did not write it; move it or choose another folder", name)
}

// checkBare checks a file without a header.
func checkBare(name string, f *codegen.File, earlier bool) error {
	st, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return inTheWay(name)
	case earlier:
		return nil
	}
	beside, err := hasOurs(filepath.Dir(name))
	if err != nil || beside {
		return err
	}
	if st.Size() == int64(f.Len()) {
		b, err := os.ReadFile(name)
		if err != nil || bytes.Equal(b, f.Bytes()) {
			return err
		}
	}
	return inTheWay(name)
}

// hasOurs reports whether bbgen has written a Go file in a folder.
func hasOurs(folder string) (bool, error) {
	list, err := matching(folder, "*.go")
	for _, name := range list {
		b, readErr := os.ReadFile(name)
		if err = errors.Join(err, readErr); err != nil || isOurs(b) {
			return err == nil, err
		}
	}
	return false, err
}

// marked reports whether files with this path begin with bbgen's header.
func marked(path string) bool { return strings.HasSuffix(path, ".go") || path == "go.mod" }
