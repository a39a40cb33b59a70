package peer

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The methods of a codec, which encodes values for sending.
var (
	CodecTrain = call("codec", "Train",
		[]op.Port{{Name: "samples", Types: aTensor}}, []op.Port{{Name: "done", Types: aTrigger}},
		gives(triggered)).Op
	CodecEncode = call("codec", "Encode", []op.Port{{Name: "value", Types: aTensor}}, []op.Port{{Name: "encoded"}}, gives(said(bytes))).encodes().Op
	CodecDecode = call("codec", "Decode",
		[]op.Port{{Name: "encoded", Types: aTensor}}, []op.Port{{Name: "value"}},
		gives(said(anyRank(tensor.Float32)))).Op
)

// encodes sets [op.Peer.Encodes].
func (o row) encodes() row {
	o.Peer.Encodes = true
	return o
}
