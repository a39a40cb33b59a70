package project

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/host/lockfile"
)

// temps are the existing folders of [TempDir], with their locks; nil is none.
var temps = struct {
	sync.Mutex
	dirs map[string]*os.File
}{dirs: map[string]*os.File{}}

// TempDir makes a folder like [os.MkdirTemp]. The caller removes it with remove; [RemoveTemps] does so if the
// process ends before. A folder among those of the system has a lock, so that a later run can remove what a killed one
// has left there.
func TempDir(in, pattern string) (dir string, remove func(), err error) {
	temps.Lock()
	defer temps.Unlock()
	if in == "" {
		removeUnlocked(os.TempDir(), pattern)
	}
	dir, err = os.MkdirTemp(in, pattern)
	if err != nil {
		return "", func() {}, err
	}
	temps.dirs[dir] = nil
	if in == "" {
		temps.dirs[dir], _ = lockfile.Take(dir) // without it the folder is only not removed after a kill
	}
	return dir, func() {
		temps.Lock()
		defer temps.Unlock()
		temps.dirs[dir].Close() // before: Windows removes no open file
		os.RemoveAll(dir)
		delete(temps.dirs, dir)
	}, nil
}

// RemoveTemps removes the folders of [TempDir], and prevents new ones, as the process is about to end.
func RemoveTemps() {
	temps.Lock() // never unlocked
	for d, lock := range temps.dirs {
		lock.Close()
		os.RemoveAll(d)
	}
}

// abandoned is the age at which a folder of an earlier run is considered unused.
const abandoned = time.Hour

// removeAbandoned removes folders left by killed processes.
func removeAbandoned(in, pattern string) {
	for _, d := range abandonedIn(in, pattern) {
		os.RemoveAll(d)
	}
}

// removeUnlocked removes folders whose processes have ended: one that trains for a day has an old folder, too. What a
// killed process has started may need the folder a little longer.
func removeUnlocked(in, pattern string) {
	for _, d := range abandonedIn(in, pattern) {
		if st, err := os.Lstat(filepath.Join(d, lockfile.Name)); err != nil || !st.Mode().IsRegular() {
			continue
		}
		if lock, err := lockfile.Take(d); err == nil {
			lock.Close()
			os.RemoveAll(d)
		}
	}
}

// abandonedIn lists folders with such a name that are old.
func abandonedIn(in, pattern string) (old []string) {
	list, _ := matching(in, pattern) // what cannot be listed stays
	for _, d := range list {
		if st, err := os.Lstat(d); err == nil && st.IsDir() && time.Since(st.ModTime()) > abandoned {
			old = append(old, d)
		}
	}
	return old
}
