package op

import "github.com/bbgen/bbgen/runtime/tensor"

// The methods of a codec, which gives values another form for their way.
var (
	CodecTrain = call("codec", "Train",
		[]Port{{Name: "samples", Types: aTensor}}, []Port{{Name: "done", Types: aTrigger}},
		gives(triggered))
	CodecEncode = encodes(call("codec", "Encode", []Port{{Name: "value", Types: aTensor}}, []Port{{Name: "encoded"}}, gives(said(bytes))))
	CodecDecode = call("codec", "Decode",
		[]Port{{Name: "encoded", Types: aTensor}}, []Port{{Name: "value"}},
		gives(said(anyRank(tensor.Float32))))
)

func encodes(o *Op) *Op {
	o.Peer.Encodes = true
	return o
}
