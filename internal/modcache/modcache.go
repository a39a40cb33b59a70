// Package modcache fills Go's module cache for tests that build modules without a network.
package modcache

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Fill downloads the requirements of each module of the workspace in the directory root. A user's module
// requires one of them alone, and may select older versions than the workspace does, and packages that
// no test imports. Fill skips the test if a requirement is neither in the cache nor to be downloaded.
func Fill(t testing.TB, root string) {
	t.Helper()
	once.Do(func() { failure = fill(root) })
	if failure != nil {
		t.Skipf("the module cache is not complete, and cannot be filled: %v", failure)
	}
}

var (
	once    sync.Once
	failure error
)

// fill runs go mod download in each module that go.work lists.
func fill(root string) error {
	modules, err := modules(root)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if out, err := command(filepath.Join(root, m), "mod", "download").CombinedOutput(); err != nil {
			return fmt.Errorf("go mod download in %s: %w\n%s", m, err, out)
		}
	}
	return nil
}

// modules returns the directories of the workspace's modules, relative to root.
func modules(root string) ([]string, error) {
	out, err := command(root, "work", "edit", "-json", "go.work").Output()
	if err != nil {
		return nil, fmt.Errorf("go work edit: %w", err)
	}
	var file struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal(out, &file); err != nil {
		return nil, err
	}
	var dirs []string
	for _, u := range file.Use {
		dirs = append(dirs, u.DiskPath)
	}
	return dirs, nil
}

// command is the go command outside of the workspace, as in a user's module.
func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	return cmd
}
