// Package ml holds the operators of classic machine learning, ONNX's domain ai.onnx.ml: trees,
// support vector machines, linear models, and what brings features into form.
package ml
