// Package replay trains a program on recorded batches, to compare the results with those of the original.
package replay

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// gradient is the suffix of variables that hold gradients.
const gradient = ".grad"

// Main replays the case in the folder that is the first argument of the program
// to the folder that is the second one.
func Main(p model.TrainProgram) {
	if len(os.Args) != 3 {
		fmt.Fprintf(os.Stderr, "usage: %s CASE_DIR OUT_DIR\n", filepath.Base(os.Args[0]))
		os.Exit(2)
	}
	if err := Run(p, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

// Run makes a step for each folder dir/steps/NNN, whose files NAME.pb are the inputs and targets, with the
// program's own learning rate. It writes out/losses.json, which is that of dir with the computed losses;
// out/grads0/NAME.pb, the gradients of the first step; and out/final/NAME.pb, the final weights and statistics.
func Run(p model.TrainProgram, dir, out string) error {
	s, err := p.New(0)
	if err != nil {
		return err
	}
	steps, err := filepath.Glob(filepath.Join(dir, "steps", "*"))
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		return fmt.Errorf("%s: there are no steps", dir)
	}
	seen := batchesSeen(s)
	var losses []float64
	for i, step := range steps {
		if err := setInputs(p, s, step); err != nil {
			return err
		}
		loss, err := s.Step(p.Rate)
		if err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
		losses = append(losses, loss)
		if i == 0 {
			if err := writeGradients(s, filepath.Join(out, "grads0")); err != nil {
				return err
			}
		}
	}
	if err := writeFinal(s, filepath.Join(out, "final"), len(steps), seen); err != nil {
		return err
	}
	return writeLosses(filepath.Join(dir, "losses.json"), filepath.Join(out, "losses.json"), losses)
}

// batchesSeen returns how many batches each running statistic has seen: none if it is 0, else one, at the
// export of the model. The file does not hold it.
func batchesSeen(s model.TrainSession) map[string]int64 {
	seen := map[string]int64{}
	for _, v := range s.State() {
		for _, b := range v.Value.Bytes() {
			if v.Kind == model.Buffer && b != 0 {
				seen[v.Name] = 1
			}
		}
	}
	return seen
}

func setInputs(p model.TrainProgram, s model.TrainSession, step string) error {
	for i, port := range append(p.Inputs[:len(p.Inputs):len(p.Inputs)], p.Targets...) {
		file := filepath.Join(step, port.Name+".pb")
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		t, _, err := tensorio.DecodeTensor(b)
		if err == nil {
			err = s.SetInput(i, t)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func writeGradients(s model.TrainSession, dir string) error {
	for _, v := range s.State() {
		if name, ok := strings.CutSuffix(v.Name, gradient); ok && v.Kind == model.Private {
			if err := write(dir, name, v.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeFinal writes weights and statistics. For each running mean it also writes how many batches it has seen:
// the steps, and those before.
func writeFinal(s model.TrainSession, dir string, steps int, seen map[string]int64) error {
	for _, v := range s.State() {
		if v.Kind != model.Weight && v.Kind != model.Buffer {
			continue
		}
		if err := write(dir, v.Name, v.Value); err != nil {
			return err
		}
		if layer, ok := strings.CutSuffix(v.Name, "running_mean"); ok && v.Kind == model.Buffer {
			if err := write(dir, layer+"num_batches_tracked", tensor.Of([]int64{seen[v.Name] + int64(steps)}, 1)); err != nil {
				return err
			}
		}
	}
	return nil
}

func write(dir, name string, t *tensor.Tensor) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if name != filepath.Base(name) || name == "." || name == ".." {
		return fmt.Errorf("%q cannot be the name of a file", name)
	}
	return os.WriteFile(filepath.Join(dir, name+".pb"), tensorio.AppendTensor(nil, name, t), 0o666)
}

func writeLosses(from, to string, losses []float64) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var all map[string]any
	if err := json.Unmarshal(b, &all); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	all["losses"] = losses
	if b, err = json.MarshalIndent(all, "", " "); err != nil {
		return err
	}
	return os.WriteFile(to, append(b, '\n'), 0o666)
}
