package train

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// activated lists, for losses that contain an activation or take its result, the activations of an output that are a
// mistake, and what to do instead. Such a model trains all the same, but slowly, and never to a small loss.
var activated = map[string]map[string]string{
	"cross_entropy": {
		"Softmax": "applies a softmax itself: train the model without that node",
		"Sigmoid": "applies a softmax itself: train the model without that node, or with --loss bce",
	},
	"nll":        {"Softmax": "takes log-probabilities: train a model that ends in LogSoftmax, or without that node with --loss cross_entropy"},
	"bce_logits": {"Sigmoid": "applies a sigmoid itself: --loss bce takes probabilities", "Softmax": "applies a sigmoid itself: train the model without that node"},
	"focal":      {"Sigmoid": "applies a sigmoid itself: train the model without that node"},
}

// activatedTwice warns of an output with an activation that the loss does not expect.
func activatedTwice(m *ir.Module, loss string) []string {
	y := m.Main.Body.Results[0]
	if y.Def == nil {
		return nil
	}
	advice, ok := activated[loss][y.Def.Op]
	if !ok {
		return nil
	}
	return []string{fmt.Sprintf("output %q is the result of node %q (%s), and the loss %s %s", y.Name, y.Def.Name, y.Def.Op, loss, advice)}
}
