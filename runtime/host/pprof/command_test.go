package pprof

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
)

// busy is a session whose profiled runs may fail.
type busy struct {
	twoNodes
	err error
}

func (b busy) Profile(p runtime.Profiler) error {
	b.twoNodes.Profile(p)
	return b.err
}

// TestCommand writes a profile, says how to read it, and leaves no file behind when the model fails.
func TestCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpu.pprof")
	for _, c := range []struct {
		args []string
		fail error
		want string // "" for a profile
	}{
		{[]string{"-time", "1ns", "-o", file}, nil, ""},
		{[]string{"-time", "1ns", "-o", file}, errors.New("broken"), "broken"},
		{[]string{"-o", filepath.Join(file, "x")}, nil, "no such file"},
		{[]string{"-rate", "1"}, nil, "-rate"},
	} {
		os.Remove(file)
		p := runtime.Program{Name: "m", New: func() (runtime.Session, error) {
			return busy{twoNodes{during: func() {}}, c.fail}, nil
		}}
		var out strings.Builder
		err := command(p, c.args, &out)
		_, missing := os.Stat(file)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) || missing == nil {
				t.Errorf("%q: got %v, want %q and no file: %v", c.args, err, c.want, missing)
			}
			continue
		}
		if err != nil || missing != nil || !strings.Contains(out.String(), "go tool pprof -tags "+file) {
			t.Errorf("%q: got %q, %v, %v", c.args, &out, err, missing)
		}
	}
}
