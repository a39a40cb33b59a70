package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checkFolderOfOwn refuses to make a module of its own in a folder that has files, unless bbgen has written
// some of them: it would scatter go.mod, vendor and programs among the files of somebody else.
func checkFolderOfOwn(dir string) error {
	entries, err := os.ReadDir(dir)
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { // what a killed run has left
		temp, _ := filepath.Match(tempPattern, e.Name())
		return temp
	})
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); !e.Type().IsRegular() || name != "go.mod" && !strings.HasSuffix(name, ".go") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if isOurs(b) {
			return nil
		}
	}
	return fmt.Errorf("%s has files that bbgen did not write, such as %s: choose a new folder, or an empty one", dir, entries[0].Name())
}

// matching returns the paths of the files and folders in dir whose names match a pattern. Unlike in [filepath.Glob],
// the name of dir may have brackets. There are none if dir does not exist.
func matching(dir, pattern string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if ok, _ := filepath.Match(pattern, e.Name()); ok { // the patterns of this package are valid
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out, err
}
