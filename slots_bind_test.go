package bbgen_test

import (
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
)

// TestSlotBound: if a program is bound, so is the model in a slot, whose inputs have the sizes of its calls.
func TestSlotBound(t *testing.T) {
	golden.Run(t, "testdata/bound_*.txtar", func(t *testing.T, a *golden.Archive) {
		for _, c := range []struct {
			bind map[string]int
			want string
		}{
			{nil, "float32[batch,2]"},
			{map[string]int{"batch": 8}, "float32[8,2]"},
		} {
			dir, got := models(t, a), ""
			config := bbgen.Config{Source: "in.ir", Watch: func(stage string, m *ir.Module) {
				if stage == `slot "net" of client: import` {
					got = m.Main.Body.Params[0].Type.String()
				}
			}}
			configure(t, &config, a.Get("config"))
			config.Bind = c.bind
			if _, err := bbgen.Compile(program(t, a, dir), config); err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("bound to %v: the model's input is %s, want %s", c.bind, got, c.want)
			}
		}
	})
}
