// Package nn is neural networks written in Go: layers over package dsl, whose record
// is an ONNX model. No Python takes part.
//
//	net := nn.Sequential{
//		&nn.Conv2D{In: 1, Out: 8, Kernel: 3, Padding: 1},
//		nn.ReLU,
//		&nn.MaxPool2D{Kernel: 2},
//		nn.Flatten,
//		&nn.Linear{In: 8 * 14 * 14, Out: 10},
//	}
//	err := nn.Save("cnn.onnx", net, dsl.Float32("batch", 1, 28, 28), nn.Options{Training: true})
//
// A network is a [Module]: a layer, a [Sequential] of modules, or a struct of the
// author's whose Forward calls the modules in its fields. Layers are struct literals;
// what is left out is as in PyTorch. Each has its tensors as fields of type
// *[Parameter], which are made when they are first needed. So another initializer, a
// tensor that two layers share, and values from elsewhere are assignments.
//
// Parameters have PyTorch's names: 0.weight is that of the first layer of a
// Sequential, conv1.bias that of the layer in a field Conv1. [Load] reads their values
// back from the file that training has written.
package nn
