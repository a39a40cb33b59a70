package export

import (
	"encoding/json"
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	host "github.com/bbgen/bbgen/runtime/host/train"
)

// KeyLoss is the key of a model's metadata for a list in JSON: the loss of its training, and its settings, such as
// "class-axis=-1".
const KeyLoss = "bbgen.loss"

// KeyLabel is the key of a model's metadata for a list in JSON: the column of the labels that it was trained with, if no usual
// name leads to it.
const KeyLabel = "bbgen.label"

// describe adds the description of the data and of the loss in the metadata of weights to a model.
func describe(model []byte, meta map[string]string) ([]byte, error) {
	mean, err := numbers(meta, host.MeanKey)
	if err != nil {
		return nil, err
	}
	std, err := numbers(meta, host.StdKey)
	if err != nil {
		return nil, err
	}
	if len(mean) != len(std) {
		return nil, fmt.Errorf("%d means and %d deviations, want as many", len(mean), len(std))
	}
	if len(mean) > 0 {
		if model, err = onnx.Normalize(model, mean, std); err != nil {
			return nil, err
		}
	}
	lists := map[string]string{}
	for from, to := range map[string]string{host.NamesKey: ir.KeyClasses, host.ColumnsKey: ir.KeyColumns, host.LossKey: KeyLoss, host.LabelKey: KeyLabel} {
		if text, ok := meta[from]; ok {
			lists[to] = text
		}
	}
	if len(lists) == 0 {
		return model, nil
	}
	return onnx.SetMetadata(model, lists)
}

// numbers returns a list in the metadata, or nil.
func numbers(meta map[string]string, key string) (list []float32, err error) {
	if text, ok := meta[key]; ok {
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return nil, fmt.Errorf("metadata %s: %w", key, err)
		}
	}
	return list, nil
}
