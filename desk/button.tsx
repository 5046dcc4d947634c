import type { ComponentProps } from 'react'

/** Copper where it is the one thing to do here; else quiet. */
export const Button = ({ isLoud, ...props }: ComponentProps<'button'> & { isLoud?: boolean }) => (
  <button type="button" className="button" data-quiet={!isLoud || undefined} {...props} />
)
