package peer

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The methods of a codec, which gives values another form for their way.
var (
	CodecTrain = call("codec", "Train",
		[]op.Port{{Name: "samples", Types: aTensor}}, []op.Port{{Name: "done", Types: aTrigger}},
		gives(triggered)).Op
	CodecEncode = call("codec", "Encode", []op.Port{{Name: "value", Types: aTensor}}, []op.Port{{Name: "encoded"}}, gives(said(bytes))).encodes().Op
	CodecDecode = call("codec", "Decode",
		[]op.Port{{Name: "encoded", Types: aTensor}}, []op.Port{{Name: "value"}},
		gives(said(anyRank(tensor.Float32)))).Op
)

// encodes says that the output is the form that the input has on its way.
func (o row) encodes() row {
	o.Peer.Encodes = true
	return o
}
