package cli

import (
	"testing"

	"github.com/spf13/pflag"
)

// TestSizes tests that sizes are numbers of at least 1, each with a name.
func TestSizes(t *testing.T) {
	for _, c := range []struct{ args, want, err string }{
		{"--bind=batch=1,seq=128", "batch=1,seq=128", ""},
		{"--bind=seq=128", "seq=128", ""},
		{"--bind=batch=0", "", `invalid argument "batch=0" for "--bind" flag: batch is "0", want a size of at least 1`},
		{"--bind=batch=-1", "", `invalid argument "batch=-1" for "--bind" flag: batch is "-1", want a size of at least 1`},
		{"--bind=batch", "", `invalid argument "batch" for "--bind" flag: "batch", want NAME=SIZE`},
		{"--bind=a=1,b=2,a=1", "a=1,b=2", ""},
		{"--bind=a=1,a=2", "", `invalid argument "a=1,a=2" for "--bind" flag: a is 2, and 1 before: give one of them`},
	} {
		var to map[string]int
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		Bind(f, &to)
		err := f.Parse([]string{c.args})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.err || err == nil && (&sizes{&to}).String() != c.want {
			t.Errorf("%s: %v, %q; want %q, %q", c.args, to, got, c.want, c.err)
		}
	}
}
