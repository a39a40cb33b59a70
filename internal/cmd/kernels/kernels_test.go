package kernels

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/target"
)

// parsed returns the flags of a command line.
func parsed(t *testing.T, args ...string) *Flags {
	t.Helper()
	var f Flags
	cmd := new(cobra.Command)
	f.Add(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	return &f
}

// file writes a file and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

const tuning = `{"model": "m", "level": "avx2", "threads": 1, "layout": "last", "choices": []}`

// TestOptions: what is not said is left to the compiler.
func TestOptions(t *testing.T) {
	avx2, err := target.Of("avx2")
	if err != nil {
		t.Fatal(err)
	}
	if o, err := parsed(t).Options(); err != nil || o.Target != nil || o.Tuned != nil || o.Conv == pass.Direct {
		t.Errorf("without flags: %+v, %v", o, err)
	}
	if o, err := parsed(t, "--cpu", "avx2", "--no-winograd").Options(); err != nil || o.Target != avx2 || o.Conv != pass.Direct {
		t.Errorf("for AVX2, without Winograd: %+v, %v", o, err)
	}
	o, err := parsed(t, "--tune", file(t, "tune.json", tuning)).Options()
	if err != nil || o.Tuned == nil || o.Tuned.Model != "m" {
		t.Errorf("with a file of choices: %+v, %v", o, err)
	}
}

// TestOptionsRefused shows flags that name nothing, or the wrong thing.
func TestOptionsRefused(t *testing.T) {
	empty := file(t, "empty.json", "")
	for _, c := range []struct {
		args  []string
		want  string
		usage bool
	}{
		{[]string{"--no-winograd", "--tune", empty}, "--no-winograd leaves nothing of --tune", true},
		{[]string{"--cpu", "z80"}, `--cpu is "z80", want one of avx2, `, true},
		{[]string{"--cpu", empty}, "--cpu: " + empty + ": ", false},
		{[]string{"--cpu", t.TempDir()}, "is a directory", false},
		{[]string{"--tune", empty}, empty + ": ", false},
		{[]string{"--tune", empty + ".none"}, "--tune: open ", false},
	} {
		_, err := parsed(t, c.args...).Options()
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, new(cli.UsageError)) != c.usage {
			t.Errorf("%q: the error is %v, want %q, a mistake of usage: %v", c.args, err, c.want, c.usage)
		}
	}
}

// TestWarn: each warning is a line, and what does not apply names the file of the measurements.
func TestWarn(t *testing.T) {
	var b strings.Builder
	r := new(bbgen.Result)
	r.Warnings, r.Stale = []string{"odd"}, []string{"old"}
	(&Flags{Tune: "tune.json"}).Warn(&b, r)
	if got, want := b.String(), "bbgen: warning: odd\nbbgen: warning: tune.json: old\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCheckDump: a stage that other compilations have is refused with the names of those that there are.
func TestCheckDump(t *testing.T) {
	if err := CheckDump(bbgen.Config{Until: "plan"}); err != nil {
		t.Error(err)
	}
	err := CheckDump(bbgen.Config{Until: "partition"})
	if want := `--dump: there is no stage "partition" here; there are: import, `; err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), ", plan, print") {
		t.Errorf("the error is %v, want %s…", err, want)
	}
}
