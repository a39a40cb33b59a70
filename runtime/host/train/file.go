package train

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/disk"
)

// writeFile writes a file atomically: under its name there is either the complete file, written to disk, or
// none. A link stays a link. A device or a pipe gets the content, as a rename would put a file in its place.
func writeFile(name string, write func(io.Writer) error) error {
	name, ok := disk.Replaceable(name)
	if !ok {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, unfinished(name)+"*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after a success
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return syncDir(dir)
}

// unfinished is how the names of files begin that are to replace a file and are not complete.
func unfinished(name string) string { return "." + filepath.Base(name) + "-" }

// removeUnfinished removes what processes have left that were killed while they wrote a file.
func removeUnfinished(name string) error {
	dir := filepath.Dir(name)
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range list {
		if strings.HasPrefix(f.Name(), unfinished(name)) {
			if err := remove(filepath.Join(dir, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// syncDir syncs the names in a folder, on systems where folders can be opened.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	d.Sync() // some file systems refuse
	return nil
}
