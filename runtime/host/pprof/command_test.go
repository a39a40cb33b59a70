package pprof

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
)

// busy is a session whose profiled runs may fail.
type busy struct {
	twoNodes
	err error
}

func (b busy) Profile(p model.Profiler) error {
	b.twoNodes.Profile(p)
	return b.err
}

// TestCommand writes a profile and says how to read it. When the model fails, the previous profile remains.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cpu.pprof")
	for _, c := range []struct {
		args []string
		fail error
		want string // "" for a profile
	}{
		{[]string{"-time", "1ns", "-o", file}, nil, ""},
		{[]string{"-time", "1ns", "-o", file}, errors.New("broken"), "broken"},
		{[]string{"-time", "1ns", "-o", filepath.Join(file, "x")}, nil, "not a directory"},
		{[]string{"-rate", "1"}, nil, "-rate"},
	} {
		if err := os.WriteFile(file, []byte("previous"), 0o666); err != nil {
			t.Fatal(err)
		}
		p := model.Program{Name: "m", New: func() (model.Session, error) {
			return busy{twoNodes{during: func() {}}, c.fail}, nil
		}}
		var out strings.Builder
		err := command(p, c.args, &out)
		b, readErr := os.ReadFile(file)
		if readErr != nil {
			t.Fatal(readErr)
		}
		kept := string(b) == "previous"
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) || !kept {
				t.Errorf("%q: got %v, want %q; the previous profile remains: %v", c.args, err, c.want, kept)
			}
			continue
		}
		if err != nil || kept || !strings.Contains(out.String(), "go tool pprof -tags "+file) {
			t.Errorf("%q: got %q, %v; the previous profile remains: %v", c.args, &out, err, kept)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("the folder has %v, %v, want the profile alone", list, err)
	}
}
