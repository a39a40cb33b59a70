package export

import (
	"encoding/json"
	"fmt"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir/onnx"
	host "github.com/bbgen/bbgen/runtime/host/train"
)

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
	for from, to := range map[string]string{host.NamesKey: keys.Classes, host.ColumnsKey: keys.Columns, host.LossKey: keys.Loss, host.LabelKey: keys.Label} {
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
