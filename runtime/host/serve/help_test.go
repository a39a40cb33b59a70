package serve

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The example of the help page is a valid request for inputs of every type and shape, and maps.
func TestExamplesOfAllTypes(t *testing.T) {
	for _, d := range []tensor.DType{
		tensor.Bool, tensor.String, tensor.Complex64, tensor.Complex128, tensor.Float16, tensor.BFloat16, tensor.Float32, tensor.Float64,
		tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64,
	} {
		p := model.Program{Inputs: []model.Port{
			{Name: "scalar", Type: d.String(), Elem: d},
			{Name: "empty", Type: d.String() + "[0]", Elem: d, Dims: []string{"0"}},
			{Name: "a \"b\"", Type: d.String() + "[batch,3]", Elem: d, Dims: []string{"batch", "3"}},
		}}
		values, err := decodeJSON([]byte(exampleJSON(p)), p.Inputs)
		if err != nil {
			t.Errorf("%s: %v", exampleJSON(p), err)
			continue
		}
		for i, want := range []int{1, 0, 3} {
			if x, ok := values[i].(*tensor.Tensor); !ok || x.DType != d || x.Len() != want {
				t.Errorf("%s: input %d is %v, want %d elements of %v", exampleJSON(p), i, values[i], want, d)
			}
		}
	}
	for _, key := range []tensor.DType{tensor.String, tensor.Int64} {
		p := model.Program{Inputs: []model.Port{{Name: "m", Type: "map", Key: key, Elem: tensor.Float32}}}
		values, err := decodeJSON([]byte(exampleJSON(p)), p.Inputs)
		if m, ok := values[0].(*tensor.Map); err != nil || !ok || m.Keys.DType != key || m.Keys.Len() != 1 {
			t.Errorf("%s: %v, %v, want a map with one key", exampleJSON(p), values, err)
		}
	}
}

// A page has the paths of requests, and files only where the model has one input. Large examples are cut.
func TestHelp(t *testing.T) {
	in := model.Port{Name: "x", Type: "float32[20]", Elem: tensor.Float32, Dims: []string{"20"}}
	one := string(help(model.Program{Name: "a model", Source: "a.onnx", Inputs: []model.Port{in}, Outputs: []model.Port{{Name: "y", Type: "int64[]"}}}, "host:80"))
	for _, want := range []string{
		`The model "a model", compiled by bbgen from a.onnx.`, "input   x float32[20]\n", "output  y int64[]\n",
		`{"shape": [20], "data": [0, 0, 0, 0, 0, 0, 0, 0, ...]}`, "http://host:80/run --data-binary @FILE", "In place of ... write the other elements.\n", "POST /v2/models/a%20model/infer",
	} {
		if !strings.Contains(one, want) {
			t.Errorf("the page lacks %s:\n%s", want, one)
		}
	}
	two := string(help(model.Program{Name: "b", Inputs: []model.Port{in, in}}, "host"))
	if strings.Contains(two, "@FILE") || strings.Contains(two, "application/x-npy") {
		t.Errorf("a model of two inputs is given a file of one:\n%s", two)
	}
	if want := "curl -H 'Content-Type: application/x-npz' -H 'Accept: application/x-npz' http://host/run --data-binary @in.npz"; !strings.Contains(two, want) {
		t.Errorf("a model of two inputs is not given an archive of both:\n%s", two)
	}
	small := model.Port{Name: "x", Type: "float32[2]", Elem: tensor.Float32, Dims: []string{"2"}}
	if got := string(help(model.Program{Name: "c", Inputs: []model.Port{small}}, "host")); strings.Contains(got, "In place of") || strings.Contains(got, "npz") && strings.Contains(got, "savez") {
		t.Errorf("a whole example is said to lack elements:\n%s", got)
	}
}
