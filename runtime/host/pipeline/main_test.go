package pipeline

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestHelp shows the flags of both parts of the command line.
func TestHelp(t *testing.T) {
	var out, errs bytes.Buffer
	if code := Do(&newScales(2, 0).Model, []string{"-h"}, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	for _, want := range []string{"in 2 stages", "-micro-batches", "keygen", "-eval-every"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, &out)
		}
	}
}

// TestUsage gives command lines that say too little or too much: each is refused with a reason.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none.json")
	if err := os.WriteFile(none, []byte("[]"), 0o666); err != nil {
		t.Fatal(err)
	}
	m := newScales(2, 0)
	newPlaces(t, m)
	key := filepath.Join(dir, "key.pem")
	var out, errs bytes.Buffer
	if code := Do(&m.Model, []string{"keygen", "-key", key}, &out, &errs); code != 0 {
		t.Fatalf("keygen: %s", &errs)
	}
	for want, args := range map[string][]string{
		"want -key FILE and -peers FILE":    {"--"},
		"-events is \"file\", want -":       {"-key", key, "-peers", none, "-events", "file", "--"},
		"-micro-batches is -1":              {"-key", key, "-peers", none, "-micro-batches", "-1", "--"},
		"the list has 0 peers, the model 2": {"-key", key, "-peers", none, "--"},
		"no flag -mikro":                    {"-mikro", "--"},
		"none.pem":                          {"-key", filepath.Join(dir, "none.pem"), "-peers", none, "--"},
	} {
		errs.Reset()
		if code := Do(&m.Model, args, &out, &errs); code != 2 || !strings.Contains(errs.String(), want) {
			t.Errorf("%q: code %d, %s; want %q", args, code, &errs, want)
		}
	}
}

// TestWhole describes the model of several stages: inputs by their numbers, the outputs of the last stage, and batches of
// all micro-batches where these have a fixed size.
func TestWhole(t *testing.T) {
	fixed := func(name string) model.Port {
		return model.Port{Name: name, Type: "float32[4,2]", Elem: tensor.Float32, Dims: []string{"4", "2"}}
	}
	m := &Model{Name: "two", Inputs: 2, Stages: []Stage{
		{Program: model.TrainProgram{Inputs: []model.Port{fixed("b")}, Outputs: []model.Port{fixed("h")}}, Inputs: []int{1}},
		{Program: model.TrainProgram{Inputs: []model.Port{fixed("h"), fixed("a")}, Targets: []model.Port{fixed("t")}, Outputs: []model.Port{fixed("y")}}, Inputs: []int{0}},
	}}
	p, err := m.whole(3)
	if err != nil {
		t.Fatal(err)
	}
	if p.Inputs[0].Name != "a" || p.Inputs[1].Name != "b" || p.Targets[0].Name != "t" || p.Outputs[0].Name != "y" {
		t.Errorf("got %+v", p)
	}
	for _, port := range []model.Port{p.Inputs[0], p.Inputs[1], p.Targets[0], p.Outputs[0]} {
		if port.Dims[0] != "12" || port.Dims[1] != "2" {
			t.Errorf("%s is %v, want 12 examples of 2", port.Name, port.Dims)
		}
	}
	if m.Stages[0].Program.Inputs[0].Dims[0] != "4" {
		t.Error("the ports of a stage change")
	}
}
