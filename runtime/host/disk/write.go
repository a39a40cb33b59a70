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

// Write puts a file in place of another one at once: after a crash there is the
// old one or the new one, whole. If it cannot be written nothing is left of it.
func Write(d FS, file string, perm fs.FileMode, parts ...[]byte) error {
	temp, err := Prepare(d, file, perm, parts...)
	if err != nil {
		return err
	}
	return Commit(d, temp, file)
}

// Prepare writes a temporary file that survives a crash, for [Commit]. If it cannot
// be written nothing is left of it.
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

// Commit puts a temporary file in its place.
func Commit(d FS, temp, file string) error {
	if err := d.Rename(temp, file); err != nil {
		d.Remove(temp)
		return err
	}
	return d.SyncDir(filepath.Dir(file))
}

const (
	tempMark  = ".bbgen-" // how names of temporary files begin
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

// Clean removes the temporary files that processes have left that were killed. No
// other process may write into the directory meanwhile.
func Clean(d FS, dir string) {
	list, _ := d.ReadDir(dir)
	for _, e := range list {
		if strings.HasPrefix(e.Name(), tempMark) {
			d.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
