package checkpoint_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/component/checkpoint"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// variables returns a weight and a counter, like those of a trainer.
func variables(weight float32, steps int64) []model.Variable {
	return []model.Variable{
		{Name: "fc.weight", Value: tensor.Of([]float32{weight, 2 * weight}, 2)},
		{Name: "steps", Value: tensor.Of([]int64{steps})},
	}
}

func saved(t *testing.T, vars []model.Variable) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := checkpoint.Save(&b, vars); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestLoad reads a saved file into the tensors of another trainer.
func TestLoad(t *testing.T) {
	into := variables(0, 0)
	weight := into[0].Value
	if err := checkpoint.Load(bytes.NewReader(saved(t, variables(3, 7))), into); err != nil {
		t.Fatal(err)
	}
	if got := tensor.Data[float32](weight); got[0] != 3 || got[1] != 6 || tensor.Data[int64](into[1].Value)[0] != 7 {
		t.Errorf("loaded %v and %v, want [3 6] and [7]", got, into[1].Value.Data)
	}
}

// TestLoadErrors tests that no variable changes unless all of them are in the file.
func TestLoadErrors(t *testing.T) {
	other := variables(3, 7)
	other[1].Value = tensor.Of([]int32{7})
	for want, b := range map[string][]byte{
		`"steps" is not in the checkpoint`:       saved(t, variables(3, 7)[:1]),
		`"steps" is int32`:                       saved(t, other),
		"the checkpoint has 3 variables, want 2": saved(t, append(variables(3, 7), model.Variable{Name: "more", Value: tensor.Of([]int64{1})})),
		"safetensors":                            []byte("no checkpoint at all"),
	} {
		into := variables(0, 0)
		if err := checkpoint.Load(bytes.NewReader(b), into); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if tensor.Data[float32](into[0].Value)[0] != 0 {
			t.Errorf("%s: a variable has changed", want)
		}
	}
	if err := checkpoint.Load(failing{}, nil); !errors.Is(err, errFailing) {
		t.Errorf("got %v, want what the reader says", err)
	}
}

var errFailing = errors.New("the disk is gone")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errFailing }

// TestNotKept refuses to save and to load a part of the state.
func TestNotKept(t *testing.T) {
	vars := append(variables(3, 7), model.Variable{Name: "fc.weight.m", Of: "fc.weight"})
	b := saved(t, variables(3, 7))
	for what, err := range map[string]error{"Save": checkpoint.Save(new(bytes.Buffer), vars), "Load": checkpoint.Load(bytes.NewReader(b), vars)} {
		if err == nil || !strings.Contains(err.Error(), `"fc.weight.m" is not kept`) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
