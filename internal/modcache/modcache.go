// Package modcache fills Go's module cache for tests that build modules without a network.
package modcache

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Fill downloads what go mod tidy needs in each module of the workspace in the directory root. That is more
// than a build of the workspace needs: a user's module requires only one of its modules and selects versions
// by that, and go mod tidy reads packages for other systems and the tests of imported packages. Fill skips
// the test if something is neither in the cache nor available for download, and fails it if a module is wrong.
func Fill(t testing.TB, root string) {
	t.Helper()
	once.Do(func() { failure = fill(root) })
	switch {
	case failure == nil:
	case isOffline(failure.Error()):
		t.Skipf("the module cache is not complete, and cannot be filled; go mod tidy in each module fills it where there is a network: %v", failure)
	default:
		t.Fatalf("the modules of the workspace are not right: %v", failure)
	}
}

// isOffline reports whether messages of the go command tell that a module cannot be downloaded. One of this repository
// never can: then an import is wrong.
func isOffline(messages string) bool {
	if strings.Contains(messages, ": module github.com/bbgen/bbgen") || strings.Contains(messages, "module providing package github.com/bbgen/bbgen") {
		return false
	}
	return slices.ContainsFunc([]string{"GOPROXY=off", "dial tcp", "reading http", `Get "http`, "lookup "}, func(s string) bool {
		return strings.Contains(messages, s)
	})
}

var (
	once    sync.Once
	failure error
)

// fill runs go mod tidy in each module that go.work lists, without writing the result. A module that is not
// tidy is no reason to fail: the command prints the difference then, and no error.
func fill(root string) error {
	dirs, err := modules(root)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		cmd := command(filepath.Join(root, dir), "mod", "tidy", "-diff")
		var messages strings.Builder
		cmd.Stderr = &messages
		if difference, err := cmd.Output(); err != nil && len(difference) == 0 {
			return fmt.Errorf("go mod tidy in %s: %w\n%s", dir, err, messages.String())
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

// command returns a go command that runs outside of the workspace, as in a user's module.
func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	return cmd
}
