package project

import (
	"os"
	"path/filepath"
	"sync"
	"time"
)

// temps are the folders of [TempDir] that are still there.
var temps = struct {
	sync.Mutex
	dirs map[string]bool
}{dirs: map[string]bool{}}

// TempDir makes a folder like [os.MkdirTemp]. The caller removes it with remove;
// [RemoveTemps] does so where the process ends before.
func TempDir(in, pattern string) (dir string, remove func(), err error) {
	temps.Lock()
	defer temps.Unlock()
	dir, err = os.MkdirTemp(in, pattern)
	if err != nil {
		return "", func() {}, err
	}
	temps.dirs[dir] = true
	return dir, func() {
		os.RemoveAll(dir)
		temps.Lock()
		defer temps.Unlock()
		delete(temps.dirs, dir)
	}, nil
}

// RemoveTemps removes the folders that [TempDir] made, and lets it make no more:
// the process is about to end.
func RemoveTemps() {
	temps.Lock() // for good
	for d := range temps.dirs {
		os.RemoveAll(d)
	}
}

// abandoned is how old a folder of an earlier run must be for nobody to use it
// any more.
const abandoned = time.Hour

// removeAbandoned removes what runs left behind that were killed.
func removeAbandoned(in, pattern string) {
	list, err := filepath.Glob(filepath.Join(in, pattern))
	if err != nil {
		return
	}
	for _, d := range list {
		if st, err := os.Lstat(d); err == nil && st.IsDir() && time.Since(st.ModTime()) > abandoned {
			os.RemoveAll(d)
		}
	}
}
