package suggest

import (
	"flag"
	"io"
	"testing"
)

func TestClosest(t *testing.T) {
	names := []string{"listen", "join", "state", "log", "log-level"}
	for word, want := range map[string]string{"lisen": "listen", "jion": "join", "states": "state", "loglevel": "log-level", "lgo": "log", "peers": "", "x": ""} {
		if got := Closest(word, names); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}

func TestFlag(t *testing.T) {
	for _, c := range []struct{ arg, want string }{
		{"-lisen", "there is no flag -lisen; did you mean -listen?"},
		{"--lisen=x", "there is no flag -lisen; did you mean -listen?"},
		{"-zzz", "there is no flag -zzz; -h lists all"},
		{"-listen", "flag needs an argument: -listen"},
	} {
		f := flag.NewFlagSet("x", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		f.String("listen", "", "")
		if err := Flag(f.Parse([]string{c.arg}), f); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.arg, err, c.want)
		}
	}
}
