package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// checkFolderOfOwn refuses to make a module of its own in a folder that has files, unless bbgen has written
// some of them: it would scatter go.mod, vendor and programs among the files of somebody else.
func checkFolderOfOwn(dir string) error {
	entries, err := os.ReadDir(dir)
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
