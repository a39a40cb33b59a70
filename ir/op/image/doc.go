// Package image holds the operators of images and of regions in them: Resize, GridSample,
// RoiAlign, NonMaxSuppression, the decoder of files; and their gradients.
package image
