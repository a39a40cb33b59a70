package train

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/train"
)

// lossMetadata returns the metadata for a model that was trained with this loss: its name, and the flags that were given
// for it. A model with a training algorithm of its own needs none.
func (h *how) lossMetadata(cmd *cobra.Command, loss string) (map[string]string, error) {
	if loss == "" {
		return nil, nil
	}
	list := []string{loss}
	for _, name := range lossFlags() {
		if f := cmd.Flags().Lookup(name); f.Changed && name != "loss" {
			list = append(list, name+"="+f.Value.String())
		}
	}
	b, err := json.Marshal(list)
	return map[string]string{keys.Loss: string(b)}, err
}

// lossFlags returns the names of the flags of the loss.
func lossFlags() (names []string) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(how).addLoss(f)
	f.VisitAll(func(f *pflag.Flag) {
		if f.Name != "bind" {
			names = append(names, f.Name)
		}
	})
	return names
}

// follow sets the loss, and the columns and the label of tables, to those of the model's training, where the user does not.
func (j *job) follow() error {
	m, err := onnx.ReadFile(j.model)
	if err != nil {
		return err
	}
	if j.columns, err = m.Names(keys.Columns); err != nil {
		return err
	}
	return cmp.Or(j.followLabel(m), j.followLoss(m))
}

// followLabel sets the flag of the label's column, unless it is given.
func (j *job) followLabel(m *ir.Module) error {
	list, err := m.Names(keys.Label)
	if err != nil || len(list) == 0 || j.cmd.Flags().Changed("label") {
		return err
	}
	return j.cmd.Flags().Set("label", list[0])
}

// followLoss sets the flags of the loss, unless --loss is given or the model has a training algorithm of its own.
func (j *job) followLoss(m *ir.Module) error {
	list, err := m.Names(keys.Loss)
	if err != nil || len(list) == 0 || j.cmd.Flags().Changed("loss") || train.HasAlgorithm(m) {
		return err
	}
	known := lossFlags()
	for i, text := range list {
		if i == 0 {
			text = "loss=" + text
		}
		name, value, _ := strings.Cut(text, "=")
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s: metadata %s: there is no setting %q of a loss: give --loss", m.File, keys.Loss, name)
		}
		if j.cmd.Flags().Changed(name) {
			continue
		}
		if err := j.cmd.Flags().Set(name, value); err != nil {
			return fmt.Errorf("%s: metadata %s: %w", m.File, keys.Loss, err)
		}
	}
	return nil
}
