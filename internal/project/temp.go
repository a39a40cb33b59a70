package project

import (
	"os"
	"path/filepath"
	"sync"
	"time"
)

// temps are the existing folders of [TempDir].
var temps = struct {
	sync.Mutex
	dirs map[string]bool
}{dirs: map[string]bool{}}

// TempDir makes a folder like [os.MkdirTemp]. The caller removes it with remove; [RemoveTemps] does so if the
// process ends before.
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

// RemoveTemps removes the folders of [TempDir], and prevents new ones, as the process is about to end.
func RemoveTemps() {
	temps.Lock() // never unlocked
	for d := range temps.dirs {
		os.RemoveAll(d)
	}
}

// abandoned is the age at which a folder of an earlier run is considered unused.
const abandoned = time.Hour

// removeAbandoned removes folders left by killed processes.
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
