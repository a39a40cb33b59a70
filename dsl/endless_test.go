package dsl_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/dsl"
)

// endless is a module with a loop that never ends.
type endless struct{}

func (endless) Body(g *dsl.Graph) {
	for {
		g.Pulse()
	}
}

// TestEndlessBody holds that a loop that never ends is told with the module that has it, before memory is gone.
func TestEndlessBody(t *testing.T) {
	const want = "module endless: the program has called its graph 100000 times, want 100000 at most: does a loop in a Body never end?"
	for name, body := range map[string]func(g *dsl.Graph){
		"calls": func(g *dsl.Graph) { g.Call(endless{}, nil); g.Pulse() },
		"mistakes": func(g *dsl.Graph) {
			for {
				g.AppEmit("a b", g.Op("Nothing", nil))
			}
		},
	} {
		_, err := dsl.Build(dsl.Program{Name: "p", Modules: []dsl.Module{client{body}}})
		var list dsl.Errors
		if !errors.As(err, &list) || len(list) != 1 {
			t.Fatalf("%s: got %d errors, want one:\n%.1000v", name, len(list), err)
		}
		if want := strings.Replace(want, "endless", map[string]string{"calls": "endless", "mistakes": "client"}[name], 1); list[0].Msg != want || !strings.Contains(list[0].Pos, "endless_test.go:") {
			t.Errorf("%s: got  %v\nwant %s", name, list[0], want)
		}
	}
}
