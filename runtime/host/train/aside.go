package train

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// previousFolder is the folder, in that of a checkpoint, with the checkpoint of the training before.
const previousFolder = "previous"

// setAside makes room for a new training, as files must not mix the weights of different ones. Without -o, the
// folder of a checkpoint holds the only copy of trained weights. So they are moved to a folder in it, in place of all
// that were moved there before. If there were any, it returns that folder.
func (t *trainer) setAside() (string, error) {
	files := []string{filepath.Join(t.opt.Checkpoint, checkpointFile)}
	if best := t.opt.Best; best != "" {
		if filepath.Dir(best) != filepath.Clean(t.opt.Checkpoint) {
			if err := remove(best); err != nil {
				return "", err
			}
		} else {
			files = append(files, best)
		}
	}
	previous := filepath.Join(t.opt.Checkpoint, previousFolder)
	moved, err := move(files, previous)
	if !moved {
		previous = ""
	}
	return previous, err
}

// move moves those of the files that exist to a folder, in place of all that were moved there before. It reports
// whether there were any.
func move(files []string, to string) (bool, error) {
	var found []string
	for _, file := range files {
		switch _, err := os.Stat(file); {
		case err == nil:
			found = append(found, file)
		case !errors.Is(err, fs.ErrNotExist):
			return false, err
		}
	}
	if found == nil {
		return false, nil
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return false, err
	}
	for _, file := range files {
		if err := remove(filepath.Join(to, filepath.Base(file))); err != nil {
			return false, err
		}
	}
	for _, file := range found {
		if err := os.Rename(file, filepath.Join(to, filepath.Base(file))); err != nil {
			return false, err
		}
	}
	return true, nil
}

// remove removes a file, if it exists.
func remove(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
