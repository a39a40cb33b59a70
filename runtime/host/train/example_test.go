package train_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// line is what bbgen generates of a model y = w·x that learns from the squares of its errors.
type line struct{ x, target, y, w []float32 }

func (l *line) SetInput(i int, v tensor.Value) error {
	if i == 0 {
		l.x = tensor.Data[float32](v.(*tensor.Tensor))
	} else {
		l.target = tensor.Data[float32](v.(*tensor.Tensor))
	}
	return nil
}

func (l *line) Step(rate float64) (float64, error) {
	loss, err := l.Eval()
	for i, x := range l.x {
		l.w[0] -= float32(rate) * 2 * (l.y[i] - l.target[i]) * x / float32(len(l.x))
	}
	return loss, err
}

func (l *line) Eval() (loss float64, err error) {
	l.y = l.y[:0]
	for i, x := range l.x {
		l.y = append(l.y, l.w[0]*x)
		loss += float64((l.y[i]-l.target[i])*(l.y[i]-l.target[i])) / float64(len(l.x))
	}
	return loss, nil
}

func (l *line) Output(int) tensor.Value { return tensor.Of(l.y, len(l.y), 1) }

func (l *line) State() []model.Variable {
	return []model.Variable{{Name: "w", Kind: model.Weight, Value: tensor.Of(l.w, 1)}}
}

// A training of 20 steps learns from four examples that w is 3.
func ExampleRun() {
	column := func(name string) []model.Port {
		return []model.Port{{Name: name, Type: "float32[batch,1]", Elem: tensor.Float32, Dims: []string{"batch", "1"}}}
	}
	session := &line{w: []float32{0}}
	program := model.TrainProgram{
		Name: "line", Source: "line.onnx", Loss: "mse", Optimizer: "sgd", Rate: 0.1, Accumulate: 1,
		Inputs: column("x"), Targets: column("target"), Outputs: column("y"),
		New: func(uint64) (model.TrainSession, error) { return session, nil },
	}
	x, y := tensor.Of([]float32{-1, 0, 1, 2}, 4, 1), tensor.Of([]float32{-3, 0, 3, 6}, 4, 1)
	examples, err := dataset.NewMemory(x, y, tensor.Float32, tensor.Float32)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "line")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	err = train.Run(context.Background(), program, &dataset.Set{Train: examples}, train.Options{
		Steps: 20, Batch: 4, EvalEvery: 10, Stdout: os.Stdout,
		Checkpoint: filepath.Join(dir, "checkpoint"), Output: filepath.Join(dir, "weights.npz"),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("w is %.2f\n", session.w[0])
	// Output:
	// 4 examples to learn from, nothing held back
	// 20 steps of 4 examples: mse by sgd
	// epoch 10  step 10  loss 2.6449
	// epoch 20  step 20  loss 0.0021
	// w is 3.00
}
