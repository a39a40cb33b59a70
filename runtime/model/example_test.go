package model_test

import (
	"fmt"
	"log"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// doubler is what bbgen generates of a model with one operator.
var doubler = model.Program{
	Name:    "doubler",
	Inputs:  []model.Port{{Name: "x", Type: "float32[n]", Elem: tensor.Float32, Dims: []string{"n"}}},
	Outputs: []model.Port{{Name: "y", Type: "float32[n]", Elem: tensor.Float32, Dims: []string{"n"}}},
	New:     func() (model.Session, error) { return new(doubling), nil },
}

type doubling struct{ x, y []float32 }

func (d *doubling) SetInput(_ int, v tensor.Value) error {
	d.x = tensor.Data[float32](v.(*tensor.Tensor))
	return nil
}

func (d *doubling) Run() error {
	d.y = d.y[:0]
	for _, v := range d.x {
		d.y = append(d.y, 2*v)
	}
	return nil
}

func (d *doubling) Output(int) tensor.Value { return tensor.Of(d.y, len(d.y)) }

// A command knows a model only by its Program.
func ExampleProgram() {
	s, err := doubler.New()
	if err != nil {
		log.Fatal(err)
	}
	inputs := []tensor.Value{tensor.Of([]float32{1, 2.5}, 2)}
	if err := model.CheckInputs(doubler.Inputs, inputs); err != nil {
		log.Fatal(err)
	}
	for i, v := range inputs {
		if err := s.SetInput(i, v); err != nil {
			log.Fatal(err)
		}
	}
	if err := s.Run(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(doubler.Outputs[0].Name, tensor.Data[float32](s.Output(0).(*tensor.Tensor)))
	fmt.Println(model.CheckInputs(doubler.Inputs, []tensor.Value{tensor.New(tensor.Int8, 2)}))
	// Output:
	// y [2 5]
	// input "x": found int8[2], want float32[n]
}
