package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Write replaces a file atomically: after a crash there is either the old file or the complete new one. If it
// cannot be written nothing is left of it.
func Write(d FS, file string, perm fs.FileMode, parts ...[]byte) error {
	temp, err := Prepare(d, file, perm, parts...)
	if err != nil { // it names a temporary file
		return fmt.Errorf("cannot write %s, which stays as it was: %w", file, err)
	}
	return Commit(d, temp, file)
}

// Prepare writes a durable temporary file for [Commit]. If it cannot be written nothing is left of it.
func Prepare(d FS, file string, perm fs.FileMode, parts ...[]byte) (temp string, err error) {
	f, err := create(d, file, perm)
	if err != nil {
		return "", err
	}
	for _, p := range parts {
		if err == nil {
			_, err = f.Write(p)
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		d.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// Commit renames a temporary file to its final name.
func Commit(d FS, temp, file string) error {
	if err := d.Rename(temp, file); err != nil {
		d.Remove(temp)
		return err
	}
	return d.SyncDir(filepath.Dir(file))
}

const (
	tempMark  = ".bbgen-" // the prefix of temporary files
	tempTries = 100
)

// create makes a temporary file beside another one.
func create(d FS, file string, perm fs.FileMode) (f File, err error) {
	dir, base := filepath.Split(file)
	for range tempTries {
		name := fmt.Sprintf("%s%s%s-%08x", dir, tempMark, base, rand.Uint32())
		f, err = d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, err
}

// Clean removes temporary files of killed processes. No other process may write into the directory meanwhile.
func Clean(d FS, dir string) {
	list, _ := d.ReadDir(dir)
	for _, e := range list {
		if strings.HasPrefix(e.Name(), tempMark) {
			d.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
