// Package all combines the table of operators. Users of the table import it:
//
//	import _ "github.com/bbgen/bbgen/ir/op/all"
package all

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/activation"
	"github.com/bbgen/bbgen/ir/op/attention"
	"github.com/bbgen/bbgen/ir/op/contrib"
	"github.com/bbgen/bbgen/ir/op/control"
	"github.com/bbgen/bbgen/ir/op/conv"
	"github.com/bbgen/bbgen/ir/op/image"
	"github.com/bbgen/bbgen/ir/op/linear"
	"github.com/bbgen/bbgen/ir/op/math"
	"github.com/bbgen/bbgen/ir/op/ml"
	"github.com/bbgen/bbgen/ir/op/norm"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/ir/op/quant"
	"github.com/bbgen/bbgen/ir/op/random"
	"github.com/bbgen/bbgen/ir/op/recurrent"
	"github.com/bbgen/bbgen/ir/op/reduce"
	"github.com/bbgen/bbgen/ir/op/sequence"
	"github.com/bbgen/bbgen/ir/op/shape"
	"github.com/bbgen/bbgen/ir/op/signal"
	"github.com/bbgen/bbgen/ir/op/text"
	"github.com/bbgen/bbgen/ir/op/training"
)

func init() {
	op.Register(
		activation.Ops, attention.Ops, contrib.Ops, control.Ops, conv.Ops,
		image.Ops, linear.Ops, math.Ops, ml.Ops, norm.Ops,
		peer.Ops, quant.Ops, random.Ops, recurrent.Ops, reduce.Ops,
		sequence.Ops, shape.Ops, signal.Ops, text.Ops, training.Ops,
	)
}
