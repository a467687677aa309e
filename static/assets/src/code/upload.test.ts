import { describe, expect, it, vi } from 'vitest';
import { upload } from './upload';

describe('upload', () => {
  it('rejects names with separators', async () => {
    const res = await upload({ originalname: '../a.txt' });
    expect(res.status).toBe(400);
  });
});
