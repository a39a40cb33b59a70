package onnx

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/ir"
)

const trained = `
	graph {
		input { name: "x" type { tensor_type { elem_type: 1 shape {} } } }
		initializer { name: "w" data_type: 1 float_data: 1 }
		node { op_type: "Mul" input: ["x", "w"] output: "y" }
		output { name: "y" }
	}
	training_info {
		algorithm {
			name: "sgd"
			input { name: "want" type { tensor_type { elem_type: 1 shape {} } } }
			initializer { name: "rate" data_type: 1 float_data: 0.5 }
			node { op_type: "Sub" input: ["w", "step"] output: "w_new" }
			node { op_type: "Mul" input: ["rate", "d"] output: "step" }
			node { op_type: "Sub" input: ["y", "want"] output: "d" }
			output { name: "w_new" }
		}
		initialization { node { op_type: "RandomNormal" output: "r" } output { name: "r" } }
		update_binding { key: "w" value: "w_new" }
		initialization_binding { key: "w" value: "r" }
	}`

// TestTraining reads an algorithm, which reads the values of the graph.
func TestTraining(t *testing.T) {
	m, err := Decode("m.onnx", fromText(t, trained), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Training) != 1 {
		t.Fatalf("got %d ways to train", len(m.Training))
	}
	tr, mul := m.Training[0], m.Main.Body.Nodes[0]
	if got, want := fmt.Sprint(tr.Algorithm.Body.Nodes), `[node "d" (Sub) node "step" (Mul) node "w_new" (Sub)]`; got != want {
		t.Errorf("algorithm is %s, want %s", got, want)
	}
	if got := tr.Algorithm.Body.Nodes[0].In[0]; got != mul.Out[0] {
		t.Errorf("algorithm reads %q, not what the graph computes", got.Name)
	}
	if want := (ir.Binding{To: mul.In[1], From: tr.Algorithm.Body.Results[0]}); len(tr.Updates) != 1 || tr.Updates[0] != want {
		t.Errorf("updates are %v, want %v", tr.Updates, want)
	}
	if want := (ir.Binding{To: mul.In[1], From: tr.Init.Body.Results[0]}); len(tr.Inits) != 1 || tr.Inits[0] != want {
		t.Errorf("initial values are %v, want %v", tr.Inits, want)
	}
}

func TestTrainingErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{`update_binding { key: "x" value: "y" } algorithm {}`, `update_binding: "x" is not an initializer`},
		{`update_binding { key: "nowhere" value: "y" } algorithm {}`, `update_binding: "nowhere" is not an initializer`},
		{`update_binding { key: "w" value: "nowhere" } algorithm {}`, `update_binding: "nowhere" is not defined`},
		{`initialization_binding { key: "w" value: "y" } initialization {}`, `initialization_binding: "y" is not defined`},
		{`algorithm { output { name: "nowhere" } }`, `algorithm: graph output "nowhere" is not defined`},
	}
	for _, tt := range tests {
		_, err := Decode("m.onnx", fromText(t, `
			graph {
				input { name: "x" type { tensor_type { elem_type: 1 shape {} } } }
				initializer { name: "w" data_type: 1 float_data: 1 }
				node { op_type: "Mul" input: ["x", "w"] output: "y" }
			}
			training_info { `+tt.text+" }"), nil)
		if want := "m.onnx: training_info 0: " + tt.want; fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
