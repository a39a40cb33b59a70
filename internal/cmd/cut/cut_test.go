package cut

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/component/dp/accountant"
)

// chain is a plain model of two operators.
const chain = "module \"m\"\nopset 21\nfunc @main(%x: float32[n,4]) -> (%y) {\n  %h = Neg(%x) : ?\n  %y = Abs(%h) : ?\n}\n"

// cutInTwo cuts a plain model with the flags of a command line.
func cutInTwo(t *testing.T, args ...string) (f *Flags, p *partitioner.Program, table string, err error) {
	t.Helper()
	f = new(Flags)
	cmd := new(cobra.Command)
	f.Add(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	m, err := ir.Parse("model.ir", chain)
	if err != nil {
		t.Fatal(err)
	}
	m.File = "model.ir"
	var w strings.Builder
	p, err = f.Program(m, nil, &w)
	return f, p, w.String(), err
}

// TestProgram: the stages have the names of the flag, and the table of the split is printed.
func TestProgram(t *testing.T) {
	_, p, table, err := cutInTwo(t, "--split", "2", "--stage-names", "front,back", "--assume", "n=8")
	if err != nil {
		t.Fatal(err)
	}
	var classes []string
	for _, part := range p.Parts {
		classes = append(classes, part.Class)
	}
	if got := fmt.Sprint(classes); got != "[back front]" || !strings.Contains(table, "front") || !strings.Contains(table, "assumed: n=8") {
		t.Errorf("the classes are %s, the table is\n%s", got, table)
	}
}

// TestProgramRefuses shows flags with which a model is not cut.
func TestProgramRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "model.ir is a plain model, which one peer runs: say with --split N into how many stages it is cut"},
		{"--split 0", "--split is 0, want 2 or more"},
		{"--split 1", "--split is 1, want 2 or more"},
		{"--split 2 --latency -1ms", "--latency is -1ms, want 0 or more"},
		{"--stage-memory 1MB", "--stage-names and --stage-memory are of stages: say with --split N how many there are"},
		{"--split 2 --stage-names a,b,c", "--stage-names has 3 names for 2 stages"},
	} {
		_, _, _, err := cutInTwo(t, strings.Fields(c.args)...)
		if err == nil || err.Error() != c.want || !errors.As(err, new(cli.UsageError)) {
			t.Errorf("%q: the error is %v, want the mistake of usage %s", c.args, err, c.want)
		}
	}
}

// TestBound: a limit that cannot be exceeded is a mistake, not a permission.
func TestBound(t *testing.T) {
	for _, s := range []string{"NaN", "-1", "0", "Inf", "-Inf", "1e400", "much", ""} {
		var l Privacy
		cmd := &cobra.Command{RunE: func(*cobra.Command, []string) error { return nil }}
		l.Add(cmd)
		if err := cmd.ParseFlags([]string{"--epsilon", s}); err == nil || !strings.Contains(err.Error(), "is no finite number above 0") || l.Most != 0 {
			t.Errorf("--epsilon %q: %v, limit %v", s, err, l.Most)
		}
		if err := cmd.ParseFlags([]string{"--epsilon", "2.5"}); err != nil || l.Most != 2.5 {
			t.Errorf("--epsilon 2.5: %v, limit %v", err, l.Most)
		}
	}
}

// TestGuards: a program whose round sends more than the limit, or whose peers show more than epsilon, is refused before
// code is generated. Without limits there is nothing to check.
func TestGuards(t *testing.T) {
	f, p, _, err := cutInTwo(t, "--split", "2", "--assume", "n=8")
	if err != nil {
		t.Fatal(err)
	}
	if All((&Limit{}).Guard("m.onnx", ".", f), (&Privacy{}).Guard("m.onnx", nil)) != nil {
		t.Error("there is something to check without a limit")
	}
	for _, c := range []struct {
		most    cli.Bytes
		epsilon float64
		want    string
	}{
		{1 << 20, 0, ""},
		{128, 0, "m.onnx: a round sends 248 B, more than the limit of 128 B"},
		{0, 1, "m.onnx: nothing adds noise, so that epsilon has no bound, where at most 1 is allowed: put a dp.Average in an aggregator's slot, or a dp.Local in a component's"},
		{128, 1, "m.onnx: a round sends 248 B, more than the limit of 128 B"},
		{1 << 20, 1, "m.onnx: nothing adds noise, so that epsilon has no bound, where at most 1 is allowed: put a dp.Average in an aggregator's slot, or a dp.Local in a component's"},
	} {
		guard := All((&Limit{Most: c.most}).Guard("m.onnx", ".", f), (&Privacy{Most: c.epsilon, Delta: 1e-5}).Guard("m.onnx", nil))
		if err := guard(p); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("limits %d and %v: the error is %v, want %q", c.most, c.epsilon, err, c.want)
		}
	}
}

// TestEnoughNoise: the noise that an error suggests keeps the limit, and little less noise does not.
func TestEnoughNoise(t *testing.T) {
	l := &Privacy{Most: 2, Delta: 1e-5}
	s := &Spent{Noises: []Noise{{Slot: "server.agg", Multiple: 1, Sampling: 1, Rounds: 10}}}
	var enough float64
	text := l.change(s).Error()
	if _, err := fmt.Sscanf(text, "set Noise to %g for server.agg in place of 1, or have fewer rounds", &enough); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if most := l.change(&Spent{Noises: []Noise{{Slot: "a", Multiple: 1e-9, Sampling: 1, Rounds: 10}}}); most.Error() != "no noise is enough" {
		t.Errorf("with hardly any noise: %v", most)
	}
	for _, c := range []struct {
		times float64
		keeps bool
	}{{enough, true}, {0.95 * enough, false}} {
		epsilon, err := accountant.RDP(l.Delta, s.mechanisms(c.times)...)
		if err != nil || epsilon <= l.Most != c.keeps {
			t.Errorf("%v times the noise: epsilon is %v, %v, want at most %v: %v", c.times, epsilon, err, l.Most, c.keeps)
		}
	}
}

// TestSpent: what all rounds together show of a peer, and the error for a class whose host begins executions.
func TestSpent(t *testing.T) {
	a, err := txtar.ParseFile("../cost/testdata/noise.txtar")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "in.ir" })
	m, err := ir.Parse("model.ir", string(a.Files[i].Data))
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(Flags).Program(m, nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limit   Privacy
		servers int
		want    string
	}{
		{Privacy{Most: 100, Delta: 1e-5, Rounds: 10}, 1, ""},
		{Privacy{Most: 11, Delta: 1e-5, Rounds: 10}, 1, ""},
		{Privacy{Most: 11, Delta: 1e-5, Rounds: 10}, 2, "m.onnx: epsilon is "}, // each server begins rounds of its own
		{Privacy{Most: 1, Delta: 1e-5, Rounds: 10}, 1, "m.onnx: epsilon is 10.8 at delta 1e-05, more than the limit of 1: set Noise to "},
		{Privacy{Most: 1, Delta: 1e-5}, 1, "asker.local adds noise in as many executions as its host begins: say with --rounds N how many there are"},
		{Privacy{Most: 1, Delta: 2, Rounds: 10}, 1, "--delta: delta is 2, want a number between 0 and 1"},
	} {
		if err := c.limit.Guard("m.onnx", map[string]int{"server": c.servers})(p); (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: the error is %v, want %q", c.limit, err, c.want)
		}
	}
	l := Privacy{Delta: 1e-5, Rounds: 10}
	s, err := l.Spent(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	var w strings.Builder
	s.Print(&w)
	want := `noise of      multiple  sampling  rounds
asker.local   2         1         10
client.local  4         1         30
server.agg    1.5       0.1       30
privacy: epsilon 10.8 at delta 1e-05 (11.6 by RDP)
(a round that is repeated counts once more)
`
	if w.String() != want {
		t.Errorf("got\n%swant\n%s", &w, want)
	}
}
