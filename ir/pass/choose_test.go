package pass_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// choosing runs the pipeline with choices on a convolution with c input and output channels of side×side
// pixels.
func choosing(t *testing.T, opt pass.Options, channels, side string) (*ir.Module, *pass.Report) {
	t.Helper()
	n := map[string]int{"64": 64, "256": 256, "512": 512}[channels]
	m := convolution(t, "[1,"+channels+","+side+","+side+"]", tensor.New(tensor.Float32, n, n, 3, 3), "pads = [1, 1, 1, 1]")
	c := pass.NewContext(m, opt)
	if err := pass.Run(m, pass.Pipeline, c); err != nil {
		t.Fatal(err)
	}
	return m, &c.Report
}

// level returns the target of a level; "" is no target.
func level(t *testing.T, name string) *target.Target {
	t.Helper()
	if name == "" {
		return nil
	}
	to, err := target.Of(name)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// TestCostModel shows the choice for each level.
func TestCostModel(t *testing.T) {
	for _, tt := range []struct{ level, channels, side, want string }{
		{"", "64", "56", pass.ByWinograd},
		{"avx512", "64", "56", pass.ByWinograd},
		{"avx512", "256", "14", pass.ByWinograd},
		{"avx512", "256", "8", pass.BySmallWinograd},
		{"avx512", "512", "7", pass.BySmallWinograd},
		{"avx2", "64", "56", pass.ByWinograd},
		{"avx2", "256", "14", pass.ByWinograd},
		{"avx2", "256", "8", pass.BySmallWinograd},
		{"avx2", "512", "7", pass.BySmallWinograd},
		{"avx2", "512", "4", pass.Direct},
		{"neon", "64", "56", pass.ByWinograd},
		{"portable", "64", "56", pass.ByWinograd},
		{"portable", "512", "7", pass.ByWinograd}, // products take so long that the filters' size does not matter
	} {
		_, r := choosing(t, pass.Options{Target: level(t, tt.level)}, tt.channels, tt.side)
		if len(r.Choices) != 1 || r.Choices[0].Pick != tt.want {
			t.Errorf("%s, %s channels, %s pixels: got %+v, want %s", tt.level, tt.channels, tt.side, r.Choices, tt.want)
		}
	}
}

// tuning returns a measurement of one node.
func tuning(level, node, what, pick string) *pass.Tuning {
	return &pass.Tuning{Model: "m", Level: level, Layout: pass.ChannelsLast, Choices: []pass.Choice{{Node: node, What: what, Pick: pick}}}
}

// TestTuned uses a suitable measurement, and reports unsuitable ones.
func TestTuned(t *testing.T) {
	_, usual := choosing(t, pass.Options{}, "64", "56")
	node, what := usual.Choices[0].Node, usual.Choices[0].What
	for _, tt := range []struct {
		name   string
		tuned  *pass.Tuning
		level  string
		want   string
		report string
	}{
		{"as measured", tuning("avx512", node, what, pass.Direct), "", pass.Direct, ""},
		{"level of the file", tuning("avx2", node, what, pass.Direct), "", pass.Direct, ""},
		{"other level", tuning("avx2", node, what, pass.Direct), "avx512", pass.ByWinograd, "level avx2, the code is for avx512"},
		{"other sizes", tuning("avx512", node, "3×3, 3 to 3 channels, 5×5 pixels", pass.Direct), "", pass.ByWinograd, "was measured as 3×3, 3 to 3"},
		{"no such node", tuning("avx512", "gone", what, pass.Direct), "", pass.ByWinograd, `node "gone"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, r := choosing(t, pass.Options{Target: level(t, tt.level), Tuned: tt.tuned}, "64", "56")
			if got := r.Choices[0].Pick; got != tt.want || marked(m) != (tt.want == pass.ByWinograd) {
				t.Errorf("pick is %s, want %s", got, tt.want)
			}
			if reports := strings.Join(r.Stale, "\n"); !strings.Contains(reports, tt.report) || (reports == "") != (tt.report == "") {
				t.Errorf("reports %q, want %q", reports, tt.report)
			}
		})
	}
}

// TestChannelsFirst keeps the layout of images.
func TestChannelsFirst(t *testing.T) {
	m, _ := choosing(t, pass.Options{Layout: pass.ChannelsFirst}, "64", "56")
	if slices.ContainsFunc(m.Main.Body.Nodes, func(n *ir.Node) bool { return n.Op == "ConvLast" || n.Op == "Transpose" }) {
		t.Errorf("the layout has changed:\n%s", ir.Print(m))
	}
}

// TestTuningFile writes and reads a file, and refuses invalid ones.
func TestTuningFile(t *testing.T) {
	b, err := tuning("avx2", "n", "sizes", pass.Direct).Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := pass.ParseTuning(b)
	if err != nil || got.Level != "avx2" || len(got.Choices) != 1 || got.Choices[0].Pick != pass.Direct {
		t.Errorf("got %+v, %v", got, err)
	}
	for old, bad := range map[string]string{
		`"avx2"`:   `"sse9"`,
		`"direct"`: `"fast"`,
		`"last"`:   `"middle"`,
		`"model"`:  `"mode"`,
		`{`:        `[`,
	} {
		if _, err := pass.ParseTuning([]byte(strings.Replace(string(b), old, bad, 1))); err == nil {
			t.Errorf("%s instead of %s is accepted", bad, old)
		}
	}
}
