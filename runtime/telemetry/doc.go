// Package telemetry holds what a node measures: histograms of quantities by their size, whose
// buckets are powers of two, so that measuring costs next to nothing.
package telemetry
