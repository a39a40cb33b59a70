// Package model describes compiled models by their tensors: their inputs and outputs, and sessions that run,
// train or profile them. Generated code fills in the descriptions; commands read them.
package model
