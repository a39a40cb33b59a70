// Package nn builds neural networks in Go: layers on top of package dsl, which records them as ONNX models.
// Python is not needed.
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
// A network is a [Module]: a layer, a [Sequential] of modules, or an author's struct with a Forward method
// that calls the modules in its fields. Layers are struct literals; omitted fields have PyTorch's defaults.
// Each layer has its tensors as fields of type *[Parameter], which are created when they are first needed. To
// use another initializer, shared tensors or existing values, assign to these fields.
//
// Parameters have PyTorch's names: 0.weight is that of the first layer of a Sequential, conv1.bias that of
// the layer in a field Conv1. [Load] reads their values from the file written by training.
package nn
