package image

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [NonMaxSuppression].
const (
	nmsBoxes = iota
	nmsScores
	nmsMaxOutputBoxesPerClass
	nmsIouThreshold
	nmsScoreThreshold
)

// NonMaxSuppression selects boxes by their scores and drops those with too much overlap with a better one.
//
// https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html
var NonMaxSuppression = &op.Op{
	Name:  "NonMaxSuppression",
	Since: []int{10, 11},
	Attrs: []op.Attr{{Name: "center_point_box", Kind: op.Int, Default: 0}},
	Inputs: []op.Port{
		nmsBoxes:                  {Name: "boxes", Types: elem.Float32s},
		nmsScores:                 {Name: "scores", Types: elem.Float32s},
		nmsMaxOutputBoxesPerClass: {Name: "max_output_boxes_per_class", Types: elem.Int64s, Optional: true},
		nmsIouThreshold:           {Name: "iou_threshold", Types: elem.Float32s, Optional: true},
		nmsScoreThreshold:         {Name: "score_threshold", Types: elem.Float32s, Optional: true},
	},
	Outputs: []op.Port{{Name: "selected_indices", Types: elem.Int64s}},
	Infer:   inferNonMaxSuppression,
	Lower:   lowerNonMaxSuppression,
	Stops:   op.StopToIntegers,
}

func inferNonMaxSuppression(c *op.Infer) error {
	boxes, err := c.Rank(nmsBoxes, 3)
	if err != nil {
		return err
	}
	scores, err := c.Rank(nmsScores, 3)
	if err != nil {
		return err
	}
	_, err1 := c.Agree(nmsScores, 0, boxes.Shape[0])
	_, err2 := c.Agree(nmsScores, 2, boxes.Shape[1])
	_, err3 := c.Agree(nmsBoxes, 2, ir.C(4))
	if err1 != nil || err2 != nil || err3 != nil {
		return fmt.Errorf("boxes are %s and scores %s, want [n,boxes,4] and [n,classes,boxes]", boxes, scores)
	}
	for i, v := range c.In {
		want := tensor.Float32
		if i == 2 {
			want = tensor.Int64
		}
		if v != nil && v.Type.Elem != want {
			return fmt.Errorf("input %q is %s, want %s", v.Name, v.Type, want)
		}
		if v != nil && i >= 2 {
			if t, err := c.Tensor(i); err != nil || len(t.Shape) > 1 || !op.MayEqual(ir.Size(t.Shape), ir.C(1)) {
				return fmt.Errorf("input %q is %s, want one element", v.Name, v.Type)
			}
		}
	}
	c.OutTensor(0, tensor.Int64, c.Fresh("count"), ir.C(3))
	return nil
}

func lowerNonMaxSuppression(l *op.Lowering) error {
	boxes, scores := op.Shape(l.In[nmsBoxes]), op.Shape(l.In[nmsScores])
	most := boxes[1]
	if limit, ok := op.Content(l.Arg(nmsMaxOutputBoxesPerClass)); ok && len(limit) == 1 && limit[0].Equal(op.AtLeast(limit[0], ir.C(0))) {
		if _, ok := limit[0].Const(); ok {
			most = limit[0].Min(most)
		}
	}
	picked := l.Scratch(tensor.Int64, scores[0].Mul(scores[1]).Mul(most), ir.C(3))
	l.Count(0, "NonMaxSuppressionCount", picked, l.Scratch(tensor.Int64, boxes[1]), l.Scratch(tensor.Float32, most, ir.C(5)), l.In[nmsBoxes], l.In[nmsScores],
		op.Struct{Type: "NMSLimits", Fields: []op.Field{
			{Name: "Boxes", Value: l.Arg(nmsMaxOutputBoxesPerClass)}, {Name: "Overlap", Value: l.Arg(nmsIouThreshold)},
			{Name: "Score", Value: l.Arg(nmsScoreThreshold)},
		}},
		op.Struct{Type: "NMSParams", Fields: []op.Field{
			{Name: "Batches", Value: scores[0]},
			{Name: "Classes", Value: scores[1]},
			{Name: "Boxes", Value: boxes[1]},
			{Name: "Center", Value: l.Int("center_point_box") != 0},
		}})
	l.Call("CopyHead", l.Out[0], picked)
	return nil
}
