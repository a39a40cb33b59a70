package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// clockwork is a program whose peers emit a number each second.
func clockwork(classes ...string) Program {
	p := Program{Name: "clockwork"}
	for _, c := range classes {
		p.Classes = append(p.Classes, Class{Name: c, Partition: func(runtime.Env) (*runtime.Partition, error) {
			return &runtime.Partition{Class: c, Modules: []runtime.Module{{
				Name: c, Every: 1e9, New: func() runtime.Body { return &tick{} }, Blocks: []runtime.Block{{Name: "tick", Ops: 1}},
			}}}, nil
		}})
	}
	return p
}

type tick struct{ runtime.Frame }

func (f *tick) Run(e *runtime.Engine, _ int) error {
	e.Emit(&f.Frame, "second", tensor.Of([]float32{1}))
	return nil
}

func do(t *testing.T, p Program, args ...string) (lines []line, text string) {
	t.Helper()
	var out, errs bytes.Buffer
	if err := Do(p, args, &out, &errs); err != nil {
		t.Fatalf("%v: %v %s", args, err, &errs)
	}
	for b := range bytes.Lines(out.Bytes()) {
		var l line
		if err := json.Unmarshal(b, &l); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		lines = append(lines, l)
	}
	return lines, out.String()
}

// Each peer of each class runs until the end of the time, and the same flags give the same run.
func TestDo(t *testing.T) {
	args := []string{"-n", "a=2,b=1", "-for", "3500ms"}
	lines, text := do(t, clockwork("a", "b"), args...)
	count := map[string]int{}
	for _, l := range lines[:len(lines)-1] {
		if l.Name != "second" || l.Time != math.Trunc(l.Time) || fmt.Sprint(l.Value) != "[1]" {
			t.Errorf("%+v, want a value at each full second", l)
		}
		count[l.Class]++
	}
	if count["a"] != 6 || count["b"] != 3 {
		t.Errorf("%v values, want 3 of each peer: 6 of a, 3 of b", count)
	}
	if last := text[strings.LastIndex(strings.TrimSpace(text), "\n")+1:]; !strings.Contains(last, `"time":3.5,"steps":9,"failed":0,"done":false,"hash":"`) {
		t.Errorf("the last line is %s", last)
	}
	if _, again := do(t, clockwork("a", "b"), args...); again != text {
		t.Error("the second run differs")
	}
}

// Peers are killed in each round, except the last of their class, and restarted a second later.
func TestKill(t *testing.T) {
	lines, text := do(t, clockwork("a", "b"), "-n", "a=3,b=1", "-for", "60s", "-chaos", "kill=50%")
	down := map[int]float64{}
	killed := 0
	for _, l := range lines {
		switch l.Event {
		case "killed":
			if l.Class == "b" {
				t.Error("the only peer of its class is killed")
			}
			killed++
			down[l.Rank] = l.Time
			if len(down) > 2 {
				t.Errorf("at %v s all of class a are down", l.Time)
			}
		case "started":
			if at, ok := down[l.Rank]; !ok || l.Time < at+1 {
				t.Errorf("a-%d is back at %v s, killed at %v s", l.Rank, l.Time, at)
			}
			delete(down, l.Rank)
		}
	}
	if killed < 5 || !strings.Contains(text, `"killed":`) {
		t.Errorf("%d are killed in a minute of rounds", killed)
	}
	if _, again := do(t, clockwork("a", "b"), "-n", "a=3,b=1", "-for", "60s", "-chaos", "kill=50%"); again != text {
		t.Error("the second run differs")
	}
}

func TestMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"-n c=1":          "with one of the classes a, b",
		"-n a":            "want CLASS=NUMBER",
		"-n a=-1":         "want CLASS=NUMBER",
		"-chaos fire=1%":  "want some of kill=P",
		"-seed 1 extra":   `argument "extra"`,
		"-for soon":       "invalid value",
		"-chaos loss=200": "no probability",
	} {
		var out, errs strings.Builder
		err := Do(clockwork("a", "b"), strings.Fields(args), &out, &errs)
		if err == nil || !strings.Contains(err.Error()+errs.String(), want) {
			t.Errorf("%s: got %v, want %s", args, err, want)
		}
	}
}

// deaf is a program with one execution that waits for a fill that never comes.
func deaf(runtime.Env) (*runtime.Partition, error) {
	edge := runtime.Edge{ID: 1, Name: "a.word", From: "a", Trigger: true, Receives: true}
	return &runtime.Partition{Class: "a", Edges: []runtime.Edge{edge}, Modules: []runtime.Module{{
		Name: "a", Start: true, New: func() runtime.Body { return &tick{} }, Cuts: []runtime.Cut{{Kind: runtime.FillCut, Name: "word"}},
		Blocks: []runtime.Block{{Name: "hear", Wait: 1, Ops: 1}},
	}}}, nil
}

// The values for which an incomplete program waits are reported.
func TestStuck(t *testing.T) {
	lines, _ := do(t, Program{Name: "deaf", Classes: []Class{{"a", deaf}}}, "-n", "a=2", "-for", "3s")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want one for each of two peers and the last: %+v", len(lines), lines)
	}
	want := line{Time: 3, Class: "a", Rank: 1, Event: "waiting", Module: "a", Name: "word", Round: 1, Error: "fill word of a, execution 1 of a-1, for 3s"}
	if lines[1] != want {
		t.Errorf("got  %+v\nwant %+v", lines[1], want)
	}
}

// TestUngiven: a program in which nothing begins without inputs ends at once, with the flags that are missing; one whose executions wait
// for ever ends, too, and is not done.
func TestUngiven(t *testing.T) {
	lines, text := do(t, echoes(false), "-n", "a=2")
	want := line{Class: "a", Event: "waiting", Error: "input x: give --in a.x=FILE"}
	if len(lines) != 2 || lines[0] != want || !strings.Contains(text, `{"time":0,"steps":0,"failed":0,"done":false,`) {
		t.Errorf("got %s, want one line for the class, and the last", text)
	}
	file := array(t, t.TempDir(), "x.npy", 1)
	p := Program{Name: "half deaf", Classes: append(echoes(false).Classes, Class{"b", func(env runtime.Env) (*runtime.Partition, error) {
		part, err := echoes(false).Classes[0].Partition(env)
		part.Class = "b"
		part.Modules[0].Cuts = append(part.Modules[0].Cuts, runtime.Cut{Kind: runtime.EventCut, Name: "job"})
		part.Modules[0].Blocks[0].Wait = 3
		return part, err
	}})}
	_, text = do(t, p, "-in", "b.x="+file)
	for _, want := range []string{`"class":"a","rank":0,"event":"waiting","error":"input x: give --in a.x=FILE"`, `"error":"event job of a, execution 1 of b-0, for 0s"`, `{"time":0,`, `"done":false,`} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want %s", text, want)
		}
	}
}

// breaks is a loop of rounds that fails in its second one.
type breaks struct{ runtime.Frame }

func (f *breaks) Run(e *runtime.Engine, block int) error {
	if f.Exec().Number > 2 {
		return errors.New("no more")
	}
	_, err := e.Begin(&f.Frame, 1)
	return err
}

// Aborted rounds end the run when no work is left, and it is not done.
func TestBrokenOff(t *testing.T) {
	block := []runtime.Block{{Name: "go on", Ops: 1}}
	body := func() runtime.Body { return &breaks{} }
	part := func(runtime.Env) (*runtime.Partition, error) {
		return &runtime.Partition{Class: "a", Modules: []runtime.Module{{Name: "start", Start: true, New: body, Blocks: block}, {Name: "a", New: body, Blocks: block}}}, nil
	}
	_, text := do(t, Program{Name: "breaks", Classes: []Class{{"a", part}}})
	if !strings.Contains(text, `"name":"go on","round":3,"event":"failed","error":"no more"`) || !strings.Contains(text, `{"time":0,"steps":3,"failed":1,"done":false,`) {
		t.Errorf("got %s", text)
	}
}
