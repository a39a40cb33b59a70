package runner

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// pingPong returns a program whose first peer starts with 2 and -4, and gets each element plus one, twice.
func pingPong(want ...string) *Program {
	return &Program{
		Seed: 5, want: want,
		Classes: []Class{
			{"ping", 1, func(runtime.Env) (*runtime.Partition, error) {
				p := handmade.Ping(2)
				p.Modules[0].Bootstrap = true
				return p, nil
			}},
			{"pong", 1, func(runtime.Env) (*runtime.Partition, error) { return handmade.Pong(), nil }},
		},
	}
}

const first, second = "ping 0: y [3 -3]", "ping 0: y [4 -2]"

// TestPlay: a program whose outputs are the expected ones passes, and one with any other list of them does not.
func TestPlay(t *testing.T) {
	hash, blocks, err := pingPong(first, second).play(0, nil, nil)
	if err != nil || blocks == 0 {
		t.Fatalf("%d blocks: %v", blocks, err)
	}
	var log []string
	again, _, err := pingPong(first, second, second).play(0, nil, func(s string) { log = append(log, s) })
	if err != nil || again != hash {
		t.Errorf("the second time, with an output twice: %x, %v, want %x", again, err, hash)
	}
	if !slices.ContainsFunc(log, func(s string) bool { return strings.HasSuffix(s, "ping 0: ping.send of 1") }) {
		t.Errorf("the log is %q", log)
	}
	for _, c := range []struct {
		want []string
		err  string
	}{
		{[]string{first}, "wrong " + second},
		{[]string{first, "ping 0: y [4 -2.5]"}, "missing ping 0: y [4 -2.5], wrong " + second},
		{nil, "wrong " + first + ", wrong " + second},
	} {
		if _, _, err := pingPong(c.want...).play(0, nil, nil); err == nil || err.Error() != c.err {
			t.Errorf("want %q: %v", c.want, err)
		}
	}
}

// TestMissingOutput: a program waits for what is missing until the deadline, and then it is reported.
func TestMissingOutput(t *testing.T) {
	if _, _, err := pingPong(first, second, "pong 0: y [0]").play(0, nil, nil); err == nil || err.Error() != "missing pong 0: y [0]" {
		t.Errorf("the error is %v", err)
	}
}

// TestAllCountsFailures: one program that fails among others is enough.
func TestAllCountsFailures(t *testing.T) {
	good, bad := *pingPong(first, second), *pingPong(first)
	for _, c := range []struct {
		programs []Program
		only     int
		want     bool
	}{
		{[]Program{good, good}, -1, true},
		{[]Program{good, bad}, -1, false},
		{[]Program{good, bad}, 0, true},
		{[]Program{good, bad}, 1, false},
	} {
		if got := all(c.programs, 1, c.only); got != c.want {
			t.Errorf("programs that want %d and %d outputs, only %d: %v", len(c.programs[0].want), len(c.programs[1].want), c.only, got)
		}
	}
	if _, err := bad.under(1); err == nil || !strings.HasPrefix(err.Error(), "schedule 0: wrong ") {
		t.Errorf("the error is %v", err)
	}
}

// TestToldFailures: a failure fails the program, unless it is a value that is absent on purpose or a lie that was noticed.
func TestToldFailures(t *testing.T) {
	late := func(what string) error { return fmt.Errorf("agg: fill %s from x: context deadline exceeded", what) }
	for name, c := range map[string]struct {
		e    runtime.Event
		want string // what is recorded; "!": a failure, "": nothing
	}{
		"a failure":             {runtime.Event{Kind: runtime.Failed, Name: "b", Err: errors.New("no")}, "!"},
		"a missing value":       {runtime.Event{Kind: runtime.Missing, Name: "x", Err: errors.New("no")}, "!"},
		"a value of a lazy one": {runtime.Event{Kind: runtime.Missing, Name: "lazy1", Err: errors.New("no")}, "x 0: without lazy1"},
		"a value of nobody":     {runtime.Event{Kind: runtime.Missing, Name: "never1", Err: errors.New("no")}, "x 0: without never1"},
		"a possible value":      {runtime.Event{Kind: runtime.Missing, Name: "maybe1", Err: errors.New("no")}, ""},
		"a failure as a result": {runtime.Event{Kind: runtime.Failed, Name: "b", Err: &runtime.CutError{Cut: "lazy2"}}, "x 0: without lazy2"},
		"another as a result":   {runtime.Event{Kind: runtime.Failed, Name: "lazy3", Err: &runtime.CutError{Cut: "other"}}, "!"},
		"after a restart":       {runtime.Event{Kind: runtime.Failed, Name: "b", Err: late("never2")}, "x 0: without never2"},
		"another after it":      {runtime.Event{Kind: runtime.Failed, Name: "b", Err: late("other")}, "!"},
		"a decided round":       {runtime.Event{Kind: runtime.Failed, Module: "log_1", Err: errors.New("3 are decided")}, ""},
		"one of another module": {runtime.Event{Kind: runtime.Failed, Module: "mod", Err: errors.New("3 are decided")}, "!"},
		"a lie":                 {runtime.Event{Kind: runtime.Failed, Err: errors.New("2 peers take part, want at least 3")}, "x 0: found a lie"},
		"zero":                  {runtime.Event{Kind: runtime.Emitted, Name: "y", Value: tensor.Of([]float64{math.Copysign(0, -1)}, 1)}, "x 0: y [0]"},
		"other types":           {runtime.Event{Kind: runtime.Emitted, Name: "y", Value: tensor.Of([]int64{1}, 1)}, ""},
	} {
		g := &game{Program: &Program{}, got: map[string]bool{}}
		g.told("x 0", c.e)
		switch {
		case (g.err != nil) != (c.want == "!"):
			t.Errorf("%s: %v", name, g.err)
		case c.want == "!" || c.want == "":
			if len(g.got) > 0 {
				t.Errorf("%s: %v is recorded", name, g.got)
			}
		case len(g.got) != 1 || !g.got[c.want]:
			t.Errorf("%s: %v is recorded, want %s", name, g.got, c.want)
		}
	}
}

// rounds returns a program of a server and two clients that train what it sends, twice.
func rounds(want ...string) *Program {
	return &Program{Seed: 6, want: want, Classes: []Class{
		{"server", 1, func(runtime.Env) (*runtime.Partition, error) {
			p := handmade.Server(2, 2, 60e9)
			p.Modules[0].Bootstrap = true
			return p, nil
		}},
		{"client", 2, func(e runtime.Env) (*runtime.Partition, error) {
			return handmade.Client(&handmade.Trainer{Rank: e.Rank}), nil
		}},
	}}
}

// TestUnderFaults: a program that keeps its state passes under faults, and its wrong output is found under each of them.
func TestUnderFaults(t *testing.T) {
	const first, second = "server 0: model [2.625 -0.375]", "server 0: model [3.0625 1.5625]"
	if blocks, err := rounds(first, second).under(6); err != nil || blocks == 0 {
		t.Errorf("%d blocks: %v", blocks, err)
	}
	p := rounds(first)
	for schedule := range 6 {
		if _, _, err := p.play(schedule, p.faults(schedule), nil); err == nil || err.Error() != "wrong "+second {
			t.Errorf("schedule %d: %v", schedule, err)
		}
	}
}

// TestExpect: each program has the expected output at its place in the file; another number of them, and what is no list, are
// refused.
func TestExpect(t *testing.T) {
	file := filepath.Join(t.TempDir(), "want.json")
	for text, ok := range map[string]bool{`[["a", "b"], []]`: true, `[["a"]]`: false, `[[], [], []]`: false, `[[1], []]`: false, `{}`: false, ``: false} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		programs := make([]Program, 2)
		err := expect(programs, file)
		if (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
		if ok && (!slices.Equal(programs[0].want, []string{"a", "b"}) || len(programs[1].want) != 0) {
			t.Errorf("%s: want %q and %q", text, programs[0].want, programs[1].want)
		}
	}
	if err := expect(nil, file+".missing"); err == nil {
		t.Error("a file that is not there was read")
	}
}
