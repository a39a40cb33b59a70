package op

import "github.com/bbgen/bbgen/runtime/tensor"

// The methods of a codec, which gives values another form for their way.
var (
	CodecTrain  = call("codec", "Train", One, One, takes(tensors, triggered))
	CodecEncode = call("codec", "Encode", One, One, takes(tensors, said(bytes)))
	CodecDecode = call("codec", "Decode", One, One, takes(tensors, said(anyRank(tensor.Float32))))
)
