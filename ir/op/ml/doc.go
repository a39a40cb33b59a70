// Package ml contains the operators of classic machine learning, ONNX's domain ai.onnx.ml: trees, support
// vector machines, linear models, and the preparation of features.
package ml
